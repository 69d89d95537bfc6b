/** Settings of git that run nothing, whatever is done with them. Data only. */

/** `key=value` as `git -c` takes it. To git `cat` is no pager; `true` and `:` are editors that keep the text. */
export const ORDINARY_SETTINGS: readonly RegExp[] = [
  /^user\.(?:name|email)=.*$/is,
  /^core\.pager=(?:cat)?$/i,
  /^(?:core|sequence)\.editor=(?:true|:)$/i,
  /^(?:commit|tag)\.gpgsign=false$/i,
  /^color\.[a-z]+=[a-z]+$/i,
  /^advice\.[a-z]+=(?:true|false)$/i,
  /^core\.quotepath=[a-z]+$/i,
  /^init\.defaultbranch=[\w./-]+$/i,
  /^gc\.auto=\d+$/i,
]

/** Who somebody is, as `git config` takes it. */
export const PERSON: ReadonlySet<string> = new Set(['user.name', 'user.email'])
