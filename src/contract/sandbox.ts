/** The sandbox as hosts and executors see it (sandbox.md §1, §2). */

import type { Guarantee, GuaranteeReport, Platform } from '../core/guarantee.js'

/** One origin that a command may reach: an exact host in canonical spelling; `port: null` is any port. */
export interface NetworkGrant {
  readonly host: string
  readonly port: number | null
}

/** What a command did with its grant. */
export interface GrantUse extends NetworkGrant {
  /** The policy that the grant was judged under; `null` for a handle without a policy. */
  readonly policyDigest: string | null
  /** Bytes from the command to the origin, and back. */
  readonly sentBytes: number
  readonly receivedBytes: number
  /** Connections that were opened, and those that asked for something else and were refused. */
  readonly connections: number
  readonly refused: number
}

/** One command to run inside the boundary. */
export interface SandboxExec {
  /** Shell text for `bash -c`; exactly one of `command` and `argv`. */
  readonly command?: string | undefined
  readonly argv?: readonly string[] | undefined
  /** Absolute, inside the workspace; default the call's folder. */
  readonly cwd?: string | undefined
  /** Added to the allowlisted environment; secrets and loader variables are removed even here. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Milliseconds, more than 0 and at most the policy's limit. */
  readonly timeoutMs?: number | undefined
  /** Given to the command's standard input, which is closed afterwards; absent: closed at once. */
  readonly stdin?: Uint8Array | string | undefined
  readonly signal?: AbortSignal | undefined
  /** The one origin that the command may reach. In a call: the one that was granted, and no other. */
  readonly grant?: { readonly host: string; readonly port?: number | undefined } | undefined
}

/** What ended a command before it ended itself. */
export type KilledBy = 'timeout' | 'abort' | 'output_limit'

/** What became of a command. `started` is known for certain, never guessed from an exit code. */
export interface ExecResult {
  readonly started: boolean
  /** `null` when the command did not end by itself. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** True when output was cut at the limit. */
  readonly truncated: boolean
  readonly durationMs: number
  readonly killedBy?: KilledBy | undefined
  /** Where the command ran: a driver's name, or `none` for an approved unconfined call. */
  readonly driver: string
  /** Absent when the command had no grant. */
  readonly grant?: GrantUse | undefined
}

/** What one machine's driver can and cannot enforce, one answer a guarantee. */
export interface ProbeReport {
  readonly status: 'ready' | 'unavailable'
  readonly guarantees: GuaranteeReport
  /** One sentence when unavailable, or when commands run outside of every sandbox: why, for a person. */
  readonly cause: string | null
  /** One line that tells a person what to do. */
  readonly remedy: string | null
}

/** What a driver is asked to enforce for one command. Paths are real, absolute and normalised. */
export interface SandboxProfile {
  readonly fileSystem: {
    readonly mode: 'read_only' | 'workspace_write' | 'open'
    readonly workspace: string
    readonly writable: readonly string[]
    readonly readable: readonly string[]
    /** Unreadable and unwritable whatever else is said: the control plane, the home, credential stores. */
    readonly hidden: readonly string[]
    /** The repository of the workspace can be written, its control files cannot. Absent: nothing of it. */
    readonly git?: 'write' | undefined
    /** Package stores that share files with folders outside can be written too. Absent: they cannot. */
    readonly packageStores?: 'writable' | undefined
    /** Home and temporary files outlive a call. Absent: each call has its own. */
    readonly scratch?: 'session' | undefined
  }
  readonly network: 'none' | { readonly grant: NetworkGrant }
  readonly environment: { readonly pass: readonly string[] }
  readonly limits: {
    readonly timeoutMs: number
    readonly outputBytes: number
    readonly diskBytes: number
    readonly processes: number | null
    readonly memoryBytes: number | null
  }
}

/** What `confine` turns into text: pure data, no file is touched. */
export interface ConfineRequest {
  readonly profile: SandboxProfile
  readonly argv: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** A launcher with its arguments; `pipes` are written to the child's descriptors from 3 on. */
export interface ConfinedCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  readonly pipes: readonly (
    | { readonly descriptor: number; readonly direction: 'write'; readonly bytes: Uint8Array }
    | { readonly descriptor: number; readonly direction: 'read'; readonly purpose: 'status' }
  )[]
}

/**
 * How a launcher reports whether the command started and how it ended: on a status descriptor, in a
 * dialogue on its standard streams, or not at all. `exec_json` says `child-pid` and then becomes the
 * command, whose end is its own.
 */
export type LauncherStatus = 'bubblewrap_json' | 'exec_json' | 'dialogue' | 'none'

/** One operating system's boundary. Stateless but for its cached probe. */
export interface SandboxDriver {
  readonly name: string
  readonly platform: Platform
  readonly status: LauncherStatus
  /** Runs one bounded command through exactly the flags that `confine` will use. Never rejects. */
  readonly probe: () => Promise<ProbeReport>
  /** What the host allows in place of this driver when its probe fails (H-25). Absent: nothing. */
  readonly fallback?: SandboxFallback | undefined
  /** Builds text only; throws `SandboxError` for what it cannot express. */
  readonly confine: (request: ConfineRequest) => ConfinedCommand
}

/**
 * A place with a workspace that is not on this machine's disk: a container, a remote system, a store of
 * objects. What a driver starts acts there, so paths are judged as they are there. No function throws.
 */
export interface WorkspaceBackend {
  /** Real, like every path that it gives. */
  readonly home: string
  readonly temporary: readonly string[]
  /** Where an absolute path leads now, every link followed; `null` where that cannot be told: such a path is outside. */
  readonly resolve: (path: string) => PlacedPath | null
  /** Names in a folder, links not followed: second names of guarded files are found by them. */
  readonly namesIn?: ((folder: string) => readonly PlacedName[]) | undefined
  /** Real folders of the program that a bare name starts there; none: it starts nothing. Absent: no bare name is trusted. */
  readonly programFolders?: ((name: string) => readonly string[]) | undefined
  /** The state of a file, by its content; `null` for what is no file. Absent: a yes for a file that runs does not hold. */
  readonly digest?: ((path: string) => string | null) | undefined
}

/** What a path means in its place. */
export interface PlacedPath {
  readonly real: string
  readonly kind: 'folder' | 'file' | 'other' | 'absent'
  /** How many names a file has, and the same value for each of them; absent: one. */
  readonly links?: number | undefined
  readonly identity?: string | undefined
}

/** A name in a folder of a place. */
export interface PlacedName {
  readonly name: string
  readonly kind: 'folder' | 'link' | 'other'
}

/** A driver outside of every sandbox, for profiles whose missing guarantees are all named here. */
export interface SandboxFallback {
  readonly driver: SandboxDriver
  readonly waive: readonly Guarantee[]
}

/** The boundary alone, without a pipeline. */
export interface SandboxHandle {
  readonly report: ProbeReport
  readonly exec: (request: SandboxExec) => Promise<ExecResult>
}
