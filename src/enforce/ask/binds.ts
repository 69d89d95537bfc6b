/** Files that a command executes, as they were when somebody was asked (pipeline.md §5): a changed one is another call. */

import type { ToolCall } from '../../core/call.js'
import type { SimpleCommand } from '../../core/need.js'
import type { CommandSubject, PathSubject, Subject } from '../../core/subject.js'
import { lexicalForms } from '../../policy/rules/path-forms.js'
import { runsPrograms } from '../../policy/rules/smallest-allow.js'
import type { Surroundings } from '../surroundings.js'

/** One file; `digest` is empty for what could not be read. */
export interface Bind {
  readonly path: string
  readonly digest: string
}

/** A program that calls could have written, the scripts of interpreters, and files that name what runs. */
export function bindsOf(
  call: ToolCall,
  subjects: readonly Subject[],
  around: Surroundings,
): readonly Bind[] {
  const files = subjects.flatMap((subject) =>
    subject.kind === 'command' ? executed(subject, { call, subjects, around }) : [],
  )
  return [...new Set(files)].sort().map((path) => ({ path, digest: around.digest(path) ?? '' }))
}

/** True when one of them is not as it was, or the call would execute another file now. */
export function hasDrifted(
  { binds, prepared }: { readonly binds: readonly Bind[]; readonly prepared: Executed },
  subjects: readonly Subject[],
  around: Surroundings,
): boolean {
  const isBound = ({ path }: Bind): boolean => binds.some((bind) => bind.path === path)
  return (
    binds.some((bind) => (around.digest(bind.path) ?? '') !== bind.digest) ||
    !bindsOf(prepared.call, subjects, around).every(isBound)
  )
}

interface Executed {
  readonly call: ToolCall
}

interface Place {
  readonly call: ToolCall
  readonly subjects: readonly Subject[]
  readonly around: Surroundings
}

function executed(subject: CommandSubject, place: Place): readonly string[] {
  return subject.analysis.commands.flatMap((command) => [
    ...program(command, subject, place),
    ...operands(command).flatMap((word) => located(word, place)),
  ])
}

function program(
  { argv: [name = ''], from }: SimpleCommand,
  { untrusted = [] }: CommandSubject,
  place: Place,
): readonly string[] {
  if (name.includes('/')) return from ? inFolders(name, from, place) : located(name, place)
  if (!untrusted.includes(name)) return []
  const found = place.around.programs.find(name)
  return found.status === 'found' ? found.folders.map((folder) => `${folder}/${name}`) : []
}

/** A relative program is the one in the folder that the text has come to. */
function inFolders(
  name: string,
  folders: readonly string[],
  { call: { cwd }, around: { roots } }: Place,
): readonly string[] {
  return folders.flatMap((folder) => {
    const path = folder === '' ? name : `${folder}/${name}`
    return lexicalForms(path, { ...roots, cwd }).unfolded
  })
}

/** Words that name what is executed: every plain operand of an interpreter, and the value of a config option. */
function operands({ argv: [name = '', ...words] }: SimpleCommand): readonly string[] {
  const isInterpreter = runsPrograms(name) || name === 'source' || name === '.'
  const plain = isInterpreter ? words.filter((word) => !word.startsWith('-')) : []
  const configured = words.flatMap((word, index) => {
    const [option = '', value] = word.split('=', 2)
    if (!CONFIG_OPTIONS.has(option)) return []
    return [value ?? words[index + 1] ?? '']
  })
  return [...plain, ...configured].filter((word) => word !== '')
}

const CONFIG_OPTIONS: ReadonlySet<string> = new Set([
  ...['-f', '--file', '--makefile', '-c', '--config', '--rcfile', '--init-file'],
  ...['-r', '--require', '--import', '--project', '-p', '--script'],
])

/** Where the shell analysis says that the word leads, else in the folder of the call. */
function located(word: string, { call, subjects }: Place): readonly string[] {
  const plain = word.replace(/^\.\//, '')
  const read = subjects.filter(
    (one): one is PathSubject =>
      one.kind === 'path' &&
      one.derived !== undefined &&
      (one.given === word || one.given === plain || one.given.endsWith(`/${plain}`)),
  )
  const reals = read.flatMap(({ real }) => (real === null ? [] : [real]))
  if (reals.length > 0) return reals
  return [word.startsWith('/') ? word : `${call.cwd}/${plain}`]
}
