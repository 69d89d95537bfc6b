/** Shell texts of every day with a policy for them, and inputs that patterns and parsers dislike. */

export const SHELL_POLICY = {
  workMode: 'full',
  network: 'on',
  rules: [
    ...['git push', 'npm publish', 'rm', 'curl', 'docker'].map((name) => `deny bash(${name}:*)`),
    ...['git', 'npm', 'node', 'make', 'kubectl'].map((name) => `ask bash(${name}:*)`),
    ...['ls', 'cat', 'grep', 'echo', 'sed', 'wc'].map((name) => `allow bash(${name}:*)`),
    'deny read(**/secret/**)',
    'deny write(**/locked/**)',
    'allow read(src/**)',
    'allow write(@workspace)',
  ],
}

export const TEXTS = [
  'git status',
  'ls -la src && cat src/a.txt | grep foo > out.txt',
  'git commit -m "a message" && npm test -- --run foo && docker ps',
  'for f in a b c; do echo "$f" >> log.txt; done',
  'cd src && sed -n "1,20p" a.ts | wc -l; cat <<EOF\nsome text\nEOF',
]

export const KIB = 1024

/** 64 KiB, and what is the most that bash text may hold, of shapes that patterns and parsers dislike. */
export const HOSTILE = [
  ['a path of one name', 'read', 'a'.repeat(64 * KIB - 16)],
  ['a path of 32,000 folders', 'read', 'a/'.repeat(32 * KIB - 16)],
  ['a path of dots and blanks', 'read', `a${'. '.repeat(32 * KIB - 16)}`],
  ['a path that climbs', 'read', '../'.repeat(21 * KIB)],
  ['a path outside of ASCII', 'read', '\u00e9'.repeat(64 * KIB - 16)],
  ['text of one letter, star patterns', 'mcp__srv__tool', 'a'.repeat(64 * KIB)],
  ['text of three letters, star patterns', 'mcp__srv__tool', 'abc'.repeat(21 * KIB)],
  ['a host of 32,000 labels', 'web_fetch', `${'a.'.repeat(32 * KIB - 16)}com`],
  ['shell: 64 KiB of words', 'bash', `unknown ${'a '.repeat(32 * KIB - 8)}`],
  ['shell: 16 KiB of words', 'bash', `unknown ${'a '.repeat(8 * KIB - 8)}`],
  ['shell: 16 KiB of quoted words', 'bash', `unknown ${'"a b" '.repeat(2.6 * KIB)}`],
  ['shell: 16 KiB of operands', 'bash', `cat ${'ab/c '.repeat(3.2 * KIB)}`],
  ['shell: 16 KiB of trees', 'bash', `rm -r ${'a '.repeat(8 * KIB - 8)}`],
  ['shell: 250 globs of trees', 'bash', `rm -r ${'*a*/ '.repeat(250)}`],
  ['shell: 64 KiB of semicolons', 'bash', 'a;'.repeat(32 * KIB)],
  ['shell: 16 KiB of semicolons', 'bash', 'a;'.repeat(8 * KIB)],
  ['shell: 16 KiB of parentheses', 'bash', '('.repeat(16 * KIB)],
  ['shell: 31 substitutions in one another', 'bash', `echo ${'$(a '.repeat(31)}${')'.repeat(31)}`],
  ['shell: a storm of stars', 'bash', `echo '${'*a'.repeat(8 * KIB - 8)}'`],
]
