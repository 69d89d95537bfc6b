/** What rules and layers can say (pipeline.md §1). */

/** Effects of a rule, strictest first. */
export const EFFECTS = ['deny', 'ask', 'allow'] as const
export type Effect = (typeof EFFECTS)[number]

/** What a layer says of a call. */
export const DECISIONS = ['allow', 'ask', 'deny', 'no_match'] as const
export type Decision = (typeof DECISIONS)[number]

/** Where a rule comes from; the source decides whether its allow counts (H-01). */
export const RULE_SOURCES = ['builtin', 'managed', 'user', 'workspace', 'session'] as const
export type RuleSource = (typeof RULE_SOURCES)[number]
