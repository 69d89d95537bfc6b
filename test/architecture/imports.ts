/** Reads from one source text what the architecture test judges: imports, exports and how long it is. */

import ts from 'typescript'

/** One import, re-export, dynamic import or type import of a file. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean
}

export interface SourceFacts {
  readonly imports: readonly Import[]
  readonly hasDefaultExport: boolean
  readonly hasStarExport: boolean
  /** True when the file does nothing but hand on what other files export. */
  readonly onlyReExports: boolean
  /** Lines that hold at least one token: neither blank nor comment. */
  readonly codeLines: number
}

/** Parses a file without resolving anything; takes text, so that planted sources work like real ones. */
export function readSource(file: string, text: string): SourceFacts {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const { statements } = source
  return {
    imports: importsOf(source),
    hasDefaultExport: statements.some(isDefaultExport),
    hasStarExport: statements.some(
      (statement) => ts.isExportDeclaration(statement) && statement.exportClause === undefined,
    ),
    onlyReExports:
      statements.length > 0 &&
      statements.every((statement) => ts.isImportDeclaration(statement) || isHandedOn(statement)) &&
      statements.some(isHandedOn),
    codeLines: codeLinesOf(source),
  }
}

function importsOf(source: ts.SourceFile): readonly Import[] {
  const found: Import[] = []
  const add = (at: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    const line = source.getLineAndCharacterOfPosition(at.getStart(source)).line + 1
    found.push({ specifier: specifier.text, line, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.importClause?.phaseModifier === TYPE)
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isImportTypeNode(node)) {
      add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    } else if (ts.isExternalModuleReference(node)) {
      add(node, node.expression, false)
    } else if (ts.isCallExpression(node) && isLoad(node.expression)) {
      add(node, node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const TYPE = ts.SyntaxKind.TypeKeyword

function isLoad(callee: ts.Expression): boolean {
  return (
    callee.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(callee) && callee.text === 'require')
  )
}

function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true
  if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
    return (
      ts.isNamedExports(statement.exportClause) &&
      statement.exportClause.elements.some((element) => element.name.text === 'default')
    )
  }
  return (
    ts.canHaveModifiers(statement) &&
    (ts
      .getModifiers(statement)
      ?.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword) ??
      false)
  )
}

function isHandedOn(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement)
}

function codeLinesOf(source: ts.SourceFile): number {
  const lines = new Set<number>()
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source)
    if (children.length === 0 && node.kind !== ts.SyntaxKind.EndOfFileToken) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line
      for (let line = first; line <= last; line += 1) lines.add(line)
    }
    for (const child of children) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(source)
  return lines.size
}
