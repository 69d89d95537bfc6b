/** Findings in SARIF 2.1.0, as code hosts and editors read them. */

import { FINDINGS, type Finding, type FindingId } from './finding.js'

/** One log of one run. `version` is that of this package; files stand as relative or `file:` URIs. */
export interface SarifLog {
  readonly $schema: string
  readonly version: '2.1.0'
  readonly runs: readonly SarifRun[]
}

/** One run of lint. */
export interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly name: 'sixgate'
      readonly version?: string
      readonly rules: readonly SarifRule[]
    }
  }
  readonly columnKind: 'utf16CodeUnits'
  readonly results: readonly SarifResult[]
}

/** A kind of finding. */
export interface SarifRule {
  readonly id: FindingId
  readonly shortDescription: { readonly text: string }
  readonly defaultConfiguration: { readonly level: Finding['severity'] }
}

/** A finding. */
export interface SarifResult {
  readonly ruleId: FindingId
  readonly ruleIndex: number
  readonly level: Finding['severity']
  readonly message: { readonly text: string }
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string }
        readonly region: { readonly startLine: number; readonly startColumn: number }
      }
    },
  ]
  readonly properties?: { readonly rule?: string; readonly suggestion?: string }
}

/** The log of these findings, every kind of finding described. */
export function lintSarif(findings: readonly Finding[], version?: string): SarifLog {
  const driver = {
    name: 'sixgate' as const,
    ...(version === undefined ? {} : { version }),
    rules: IDS.map(ruleOf),
  }
  const run = {
    tool: { driver },
    columnKind: 'utf16CodeUnits',
    results: findings.map(resultOf),
  } as const
  return {
    $schema:
      'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [run],
  }
}

const IDS = Object.keys(FINDINGS) as readonly FindingId[]

function ruleOf(id: FindingId): SarifRule {
  const { severity, about } = FINDINGS[id]
  return { id, shortDescription: { text: about }, defaultConfiguration: { level: severity } }
}

function resultOf({ id, severity, file, line, column, ...said }: Finding): SarifResult {
  const { rule, message, suggestion } = said
  const text = rule === null ? message : `\`${rule}\`: ${message}`
  const artifactLocation = { uri: uriOf(file) }
  const region = { startLine: line, startColumn: column }
  return {
    ruleId: id,
    ruleIndex: IDS.indexOf(id),
    level: severity,
    message: { text: suggestion === null ? text : `${text}. Suggestion: ${suggestion}` },
    locations: [{ physicalLocation: { artifactLocation, region } }],
    properties: {
      ...(rule === null ? {} : { rule }),
      ...(suggestion === null ? {} : { suggestion }),
    },
  }
}

/** A relative reference, or a `file:` URI for an absolute path; every other character is encoded. */
function uriOf(file: string): string {
  const path = file.toWellFormed().replaceAll('\\', '/')
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  if (path.startsWith('/')) return `file://${encoded}`
  return /^[A-Za-z]:\//.test(path) ? `file:///${path.slice(0, 2)}${encoded.slice(4)}` : encoded
}
