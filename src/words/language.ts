/** The languages in which model and person are spoken to (hosts.md §2). */

export const LANGUAGES = ['en', 'zh', 'es'] as const
export type Language = (typeof LANGUAGES)[number]
