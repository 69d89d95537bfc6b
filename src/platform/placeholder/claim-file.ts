/** The notes of one claim on a workspace: who holds it and which placeholders are theirs. One line each. */

import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { isRunning, type ProcessIdentity } from '../process/process-identity.js'
import type { Made, Placeholder } from './placeholder.js'

/** `claim`: holds. `removing`: takes its placeholders away. `left`: ended while others still held. */
export type ClaimState = 'claim' | 'removing' | 'left'

/** A claim as its file tells it. */
export interface ClaimNote {
  readonly file: string
  readonly state: ClaimState
  readonly instance: string
  /** False only with proof that its process is gone, or when the claim ended. */
  readonly isLive: boolean
  readonly placeholders: readonly (Placeholder & { readonly id: string | null })[]
}

/** Writes the first line under another name, so that a claim is never seen without its owner. */
export function writeClaim(folder: string, identity: ProcessIdentity): void {
  const draft = `${folder}/draft-${identity.instance}`
  writeFileSync(draft, `${JSON.stringify({ identity })}\n`, { flag: 'wx', mode: 0o600 })
  renameSync(draft, fileOf(folder, 'claim', identity.instance))
}

/** Notes what will be made, before, and what was made, after: a crash between them is recovered from. */
export function noteClaim(
  folder: string,
  instance: string,
  note: { readonly wanted: readonly Placeholder[] } | { readonly made: readonly Made[] },
): void {
  appendFileSync(fileOf(folder, 'claim', instance), `${JSON.stringify(note)}\n`)
}

export function moveClaim(
  folder: string,
  instance: string,
  change: { readonly from: ClaimState; readonly to: ClaimState },
): void {
  renameSync(fileOf(folder, change.from, instance), fileOf(folder, change.to, instance))
}

export function dropClaim(folder: string, note: Pick<ClaimNote, 'file'>): void {
  try {
    unlinkSync(`${folder}/${note.file}`)
  } catch {
    // Nothing is denied: another process dropped it first.
  }
}

/** Every claim on the workspace. Files of other names and lines that do not parse say nothing. */
export function readClaims(folder: string): readonly ClaimNote[] {
  return readdirSync(folder).flatMap((file) => {
    const [, state, instance] = /^(claim|removing|left)-([0-9a-f]{32})$/.exec(file) ?? []
    if (state === undefined || instance === undefined) return []
    const note = readNote(`${folder}/${file}`)
    return note === null ? [] : [{ file, state: state as ClaimState, instance, ...note }]
  })
}

function fileOf(folder: string, state: ClaimState, instance: string): string {
  return `${folder}/${state}-${instance}`
}

interface Lines {
  readonly identity?: ProcessIdentity | undefined
  readonly wanted?: readonly Placeholder[] | undefined
  readonly made?: readonly Made[] | undefined
}

function readNote(path: string): Pick<ClaimNote, 'isLive' | 'placeholders'> | null {
  const text = readText(path)
  if (text === null) return null
  const lines = text.split('\n').map(parsed)
  const identity = lines.find((line) => line.identity !== undefined)?.identity
  const made = lines.flatMap((line) => line.made ?? [])
  // What is wanted and not in the note after it was never made; without such a note it may have been.
  const unsettled = lines.findLast((line) => line.wanted !== undefined || line.made !== undefined)
  const wanted = (unsettled?.wanted ?? []).map((one) => ({ ...one, id: null }))
  return {
    isLive: identity !== undefined && isRunning(identity),
    placeholders: [...made, ...wanted].filter(isName),
  }
}

/** A name below the workspace, never a way out of it. */
function isName({ name }: Placeholder): boolean {
  return typeof name === 'string' && !/^\/|(?:^|\/)\.{0,2}(?:\/|$)/.test(name)
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Nothing is denied: the claim ended between the listing and the reading.
    return null
  }
}

function parsed(line: string): Lines {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // Denied: this line as a note; a crash may have torn it.
    return {}
  }
}
