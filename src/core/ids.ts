/** Branded identifiers (pipeline.md §1, §3): one kind of id cannot stand where another is meant. */

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** Names one tool call within its session. */
export type CallId = Branded<'CallId'>
/** Names one decision node, anywhere. */
export type NodeId = Branded<'NodeId'>
/** Names one terminal event, anywhere. */
export type EventId = Branded<'EventId'>
/** Names one session, anywhere. */
export type SessionId = Branded<'SessionId'>
/** Names one run: a session from open to end. */
export type RunId = Branded<'RunId'>
/** Names one question to a responder. */
export type ApprovalId = Branded<'ApprovalId'>
/** `"<n>:sha256:<hex>"`: the n-th policy of a session, and the digest of its canonical form. */
export type PolicyRevision = Branded<'PolicyRevision'>

const CALL_ID = /^[\x20-\x7e]{1,128}$/

/** Reads a call id: 1 to 128 printable ASCII characters; anything else gives `undefined`. */
export function parseCallId(text: unknown): CallId | undefined {
  return typeof text === 'string' && CALL_ID.test(text) ? (text as CallId) : undefined
}

/** Makes ids that no other call of `fresh` ever returned; `fresh` is the platform's ULID source. */
export function idSource(fresh: () => string): IdSource {
  return {
    call: () => fresh() as CallId,
    node: () => fresh() as NodeId,
    event: () => fresh() as EventId,
    session: () => fresh() as SessionId,
    run: () => fresh() as RunId,
    approval: () => fresh() as ApprovalId,
  }
}

/** One factory a kind of id. */
export interface IdSource {
  readonly call: () => CallId
  readonly node: () => NodeId
  readonly event: () => EventId
  readonly session: () => SessionId
  readonly run: () => RunId
  readonly approval: () => ApprovalId
}

/** Joins the two parts of a revision; the digest is 64 lower-case hexadecimal digits. */
export function policyRevision(count: number, digest: string): PolicyRevision {
  return `${count}:sha256:${digest}` as PolicyRevision
}
