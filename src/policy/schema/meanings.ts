/** What each key of a policy means: the words that editors show and the reference page prints. */

import type { PolicyInput } from '../../contract/policy.js'
import type { Json } from '../../core/json.js'

/** What one key means. */
export interface Meaning {
  readonly text: string
  readonly example: Json
  /** What counts when the key is left out, where no value of the axis says it. */
  readonly absent?: string | undefined
}

/** The same for a key of the document. */
export interface KeyMeaning extends Meaning {
  /** What a child session gets of it (docs/delegation.md). */
  readonly child: string
}

/** A key of a document without its meaning does not compile. */
export const KEY_MEANINGS: { readonly [K in keyof Required<PolicyInput>]: KeyMeaning } = {
  $schema: {
    text: 'Where an editor finds this schema. Ignored by the library.',
    example: './node_modules/sixgate/dist/schema.json',
    absent: 'none',
    child: 'nothing: no key of a delegation',
  },
  version: {
    text: 'The version of the form of this document.',
    example: 1,
    absent: '1',
    child: 'nothing: no key of a delegation',
  },
  profile: {
    text: 'A named starting point (profiles.md): the other keys override what it states.',
    example: 'terminal.auto',
    absent: 'none',
    child: 'nothing: no key of a delegation',
  },
  workMode: {
    text: 'A preset of `capabilities`: `plan` reads; `ro` also runs commands and starts agents; `rw` also writes and acts outside; `full` is every built-in one. Excludes `capabilities`.',
    example: 'rw',
    absent: '"ro"',
    child: 'the capabilities that both sets have; more is refused',
  },
  capabilities: {
    text: 'What calls may need at all. What is missing is denied at layer 1, before any rule is asked. Excludes `workMode`.',
    example: ['fs.read', 'process.exec'],
    child: 'the capabilities that both sets have; more is refused',
  },
  tools: {
    text: 'Which tools exist for the session: `all`, `none`, or names in which `*` and `?` stand for more.',
    example: { exclude: ['mcp__github'] },
    absent: '"all"',
    child: 'the tools that both include; exclusions unite; more is refused',
  },
  network: {
    text: 'Whether calls reach the network: `off` never, `grant` after an answer for each call, `on` where the hosts permit it. A bare mode has no host lists.',
    example: { mode: 'grant', allow: ['*.example.com'] },
    child: 'the stricter mode, the hosts that both allow, all that either denies; more is clamped',
  },
  rules: {
    text: 'Rules about single calls, as `<effect> <match>` or as objects. Deny beats ask beats allow, whatever their order.',
    example: ['allow read(@workspace)', 'deny bash(git push:*)'],
    child: "all of its ancestors' and its own denies and asks; an allow is kept without effect",
  },
  toolApproval: {
    text: 'What happens to a call that no rule decided: `whitelist_accept` asks about what is not listed, `deny_unlisted` denies it, `always_ask` asks about everything, `accept_all` runs what escalates nothing.',
    example: { policy: 'whitelist_accept', whitelist: ['read(src/**)'] },
    child: 'what its delegation chooses, within `delegation.approvalPolicies`; else an empty list',
  },
  approvalResponse: {
    text: 'Who answers when a call asks: `prompt` the responder of the host, `parent` the parent session, `never` nobody, or a `route` to one recipient.',
    example: { policy: 'prompt', timeoutMs: 60_000 },
    child: '`never`: nobody can be asked for a child',
  },
  sandbox: {
    text: 'How tightly commands are confined.',
    example: { mode: 'workspace_write', limits: { timeoutMs: 60_000 } },
    child: 'part by part the stricter; more is clamped',
  },
  delegation: {
    text: 'Whether and how far a session hands work on.',
    example: { spawnDepth: 2 },
    child: 'the smaller depths, the common targets and approval policies; more is refused',
  },
  budgets: {
    text: 'How much a session and everything below it may do: whole numbers from 1 on, or `unlimited`.',
    example: { asksPerHour: 10 },
    child: 'the smaller number; more is refused',
  },
  roots: {
    text: 'The only folders in which calls read and write files. A list that is left out opens nothing.',
    example: { rw: ['src'], ro: ['.'] },
    absent: 'no limit of this kind',
    child: 'the folders that both open; more is refused',
  },
  commands: {
    text: 'The only programs that commands may run, by name. Shell text that is not understood is denied.',
    example: ['npm', 'git', 'ls'],
    absent: 'no limit of this kind',
    child: 'the common names; more is refused',
  },
  forbiddenPaths: {
    text: 'Paths that are neither read nor written, with everything below them.',
    example: ['config/secrets'],
    child: "the union; a child that states a list repeats its parent's",
  },
  risk: {
    text: 'What happens to risky calls beyond the rules.',
    example: { high: 'ask', medium: 'ask' },
    absent: 'nothing added',
    child: 'the stricter of each level; less is refused',
  },
  scopes: {
    text: 'Sets of names to which the host gives a meaning, such as memories. The library narrows and keeps them.',
    example: { memories: ['own', 'shared'] },
    absent: 'none',
    child: 'set by set the common names; more is refused',
  },
}

/** The keys inside, by their path. */
export const PART_MEANINGS: Readonly<Record<string, Meaning>> = {
  'tools.only': {
    text: 'The only tools that exist; an empty list is none.',
    example: ['read', 'ls', 'mcp__docs'],
    absent: 'every tool',
  },
  'tools.exclude': {
    text: 'Tools that do not exist, whatever `only` says.',
    example: ['mcp__github'],
  },
  'network.mode': { text: 'How far the network is open.', example: 'grant' },
  'network.allow': {
    text: 'The only hosts that are reached: exact names, or `*.example.com` for the subdomains alone. An empty list is none.',
    example: ['registry.npmjs.org', '*.example.com'],
    absent: 'every host',
  },
  'network.deny': {
    text: 'Hosts that are not reached, whatever `allow` says. With either list an unknown host is refused.',
    example: ['telemetry.example.com'],
    absent: 'no host',
  },
  'rules[].id': {
    text: 'The name of the rule in records: `a-z`, `0-9`, `.`, `_` and `-`, at most 64. Prefixes such as `builtin:` are reserved.',
    example: 'no-push',
    absent: 'the short text of the rule',
  },
  'rules[].effect': { text: 'What the rule does with a call that it meets.', example: 'deny' },
  'rules[].match': {
    text: 'A tool name, or `tool(pattern)`.',
    example: 'bash(git push:*)',
  },
  'rules[].except': {
    text: 'Match texts; a subject that one of them meets is not met by this rule.',
    example: ['bash(git push origin docs:*)'],
    absent: 'none',
  },
  'rules[].reason': {
    text: 'Why, for the person who is asked and for the records. A model never sees it.',
    example: 'releases go through CI',
    absent: 'none',
  },
  'rules[].examples': {
    text: 'Subjects that are checked when the policy loads; a failing one refuses the policy.',
    example: { match: ['git push origin main'], not_match: ['git pull'] },
    absent: 'none',
  },
  'rules[].examples.match': {
    text: 'Subjects that the rule must meet.',
    example: ['git push origin main'],
    absent: 'none',
  },
  'rules[].examples.not_match': {
    text: 'Subjects that the rule must not meet.',
    example: ['git pull'],
    absent: 'none',
  },
  'toolApproval.policy': {
    text: 'What happens to a call that no rule decided.',
    example: 'deny_unlisted',
  },
  'toolApproval.whitelist': {
    text: 'Match texts of calls that run unasked under `whitelist_accept`, and of all that run at all under `deny_unlisted`.',
    example: ['read', 'bash(npm test:*)'],
  },
  'approvalResponse.policy': { text: 'Who answers.', example: 'prompt' },
  'approvalResponse.timeoutMs': {
    text: 'How long an answer is waited for, in milliseconds; then the call is denied.',
    example: 60_000,
  },
  'approvalResponse.channel': {
    text: 'The channel of the route, as the host named it.',
    example: 'chat',
    absent: 'no route without it',
  },
  'approvalResponse.recipient': {
    text: 'The one person whom the channel authenticates.',
    example: 'ada',
    absent: 'no route without it',
  },
  'sandbox.mode': {
    text: 'What commands may write: nothing, the workspace, or everything that the protected paths leave.',
    example: 'read_only',
  },
  'sandbox.writable': {
    text: 'Further folders that commands and tools may write.',
    example: ['/var/cache/project'],
  },
  'sandbox.readable': {
    text: 'Further folders that are read without a question.',
    example: ['/usr/share/dict'],
  },
  'sandbox.environment': {
    text: 'Which variables of the host a command sees beyond the fixed ones.',
    example: { pass: ['CI'] },
  },
  'sandbox.environment.pass': { text: 'Names of variables.', example: ['CI'] },
  'sandbox.limits': { text: 'What one command may use.', example: { timeoutMs: 60_000 } },
  'sandbox.limits.timeoutMs': { text: 'Milliseconds until it is ended.', example: 60_000 },
  'sandbox.limits.outputBytes': { text: 'Bytes of output that are kept.', example: 65_536 },
  'sandbox.limits.diskBytes': {
    text: 'Bytes of the private temporary folders together. The workspace is not limited.',
    example: 67_108_864,
  },
  'sandbox.limits.processes': {
    text: 'Processes at a time; where no sandbox enforces it, the command is denied.',
    example: 64,
    absent: 'no limit of its own',
  },
  'sandbox.limits.memoryBytes': {
    text: 'Bytes of memory; where no sandbox enforces it, the command is denied.',
    example: 536_870_912,
    absent: 'no limit of its own',
  },
  'sandbox.onUnavailable': {
    text: 'What happens to a command when no sandbox is there: denied, or asked about with a fixed warning and then run on the host.',
    example: 'deny',
  },
  'sandbox.git': {
    text: 'Whether commands may write to the repository; its hooks and settings are kept either way.',
    example: 'write',
    absent: '"read"',
  },
  'sandbox.packageStores': {
    text: 'Whether commands may write to the stores that package managers share between projects.',
    example: 'writable',
    absent: '"guarded"',
  },
  'sandbox.scratch': {
    text: 'How long the private home and temporary folder of commands live.',
    example: 'session',
    absent: '"call"',
  },
  'delegation.mode': { text: 'Whether calls may go to other agents.', example: 'allow' },
  'delegation.spawnDepth': { text: 'How many levels of children may follow.', example: 2 },
  'delegation.delegateDepth': { text: 'How many times work is handed on.', example: 1 },
  'delegation.targets': {
    text: 'Agents that work may be handed to; a bare name is `bounded`.',
    example: ['reviewer', { agent: 'builder', mode: 'independent' }],
  },
  'delegation.targets[].agent': { text: 'The name of the agent.', example: 'reviewer' },
  'delegation.targets[].mode': {
    text: "`bounded`: within this session's policy as well; `independent`: within its own alone.",
    example: 'bounded',
    absent: '"bounded"',
  },
  'delegation.approvalPolicies': {
    text: 'What a delegation may choose as its `toolApproval`.',
    example: ['whitelist_accept', 'deny_unlisted'],
  },
  'budgets.actionsPerHour': { text: 'Tool calls that start in an hour.', example: 500 },
  'budgets.costPerDay': { text: 'Cost in a day, in the unit that the tools state.', example: 1000 },
  'budgets.costPerMonth': { text: 'The same in a month.', example: 10_000 },
  'budgets.treeIterations': { text: 'Model turns of a session and its children.', example: 200 },
  'budgets.asksPending': { text: 'Questions that wait at the same time.', example: 4 },
  'budgets.asksPerHour': { text: 'Questions in an hour.', example: 10 },
  'budgets.evaluationsPerMinute': { text: 'Calls that are judged in a minute.', example: 600 },
  'roots.rw': { text: 'Folders to read and write.', example: ['src'], absent: 'none' },
  'roots.ro': { text: 'Folders to read only.', example: ['.'], absent: 'none' },
  'roots.wo': { text: 'Folders to write only.', example: ['out'], absent: 'none' },
  'risk.high': {
    text: 'What happens to commands of programs that destroy, reconfigure or connect.',
    example: 'deny',
    absent: 'nothing added',
  },
  'risk.medium': {
    text: '`ask` about writes outside the workspace and about every host.',
    example: 'ask',
    absent: '"none"',
  },
}
