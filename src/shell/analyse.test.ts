import { describe, expect, it } from 'vitest'
import { analyse } from './analyse.js'

describe('analyse', () => {
  it('tells each level of a command with the wrappers around it', () => {
    expect(analyse('timeout 5 sh -c "cd x && ls"')).toEqual({
      commands: [
        { argv: ['timeout', '5', 'sh', '-c', 'cd x && ls'], role: 'transparent' },
        { argv: ['sh', '-c', 'cd x && ls'], via: ['timeout'], role: 'transparent' },
        { argv: ['cd', 'x'], via: ['timeout', 'sh'] },
        { argv: ['ls'], via: ['timeout', 'sh'] },
      ],
      refusals: [],
    })
  })

  it('marks what the text does not fix, and programs that no table knows', () => {
    expect(analyse('ls | xargs frobnicate "$x"').commands.slice(-1)).toEqual([
      {
        argv: ['frobnicate', '${}'],
        dynamic: [1],
        open: true,
        via: ['xargs'],
        unknown: true,
      },
    ])
  })

  it('tells the words without global options', () => {
    expect(analyse('git -C x --no-pager log').commands[0]?.short).toEqual(['git', 'log'])
  })

  it('follows the folder that a command may run in', () => {
    const paths = (text: string): readonly string[] =>
      (analyse(text).operations ?? []).map(({ path, adrift }) => (adrift ? `?${path}` : path))

    expect(paths('cd a && cat x')).toEqual(['a/x'])
    expect(paths('cd a; cat x')).toEqual(['x', 'a/x'])
    expect(paths('cd a || cat x')).toEqual(['x', 'a/x'])
    expect(paths('(cd a && true) && cat x')).toEqual(['x'])
    expect(paths('cd a && cd ../b && cat x')).toEqual(['a/../b/x'])
    expect(paths('cd /a && cat x')).toEqual(['/a/x'])
    expect(paths('cd && cat x')).toEqual(['~/x'])
    expect(paths('cd "$d" && cat x /y')).toEqual(['?x', '/y'])
    expect(paths('pushd a && cat x && popd && cat y')).toEqual(['a/x', 'y'])
    expect(paths('env -C a cat x')).toEqual(['a/x'])
    expect(paths('find . -execdir cat x \\;').at(-1)).toBe('?x')
    expect(paths("bash -c 'cd a && cat x' && cat y")).toEqual(['a/x', 'y'])
  })

  it('is the same for the same text', () => {
    const text = 'a=1; for f in *; do cat "$f" > "$a"; done'

    expect(analyse(text)).toEqual(analyse(text))
  })
})
