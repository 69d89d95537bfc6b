import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { chmodSync, linkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, validated } from '../../../test/builders/tool-call.js'
import { ToolError } from '../../core/errors.js'
import { patch, type PatchResult } from './patch.js'
import { parsePatch, pathsOf } from './patch/parse.js'

let workspace = ''
const put = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(workspace, name), content)
const get = (name: string): string => readFileSync(join(workspace, name), 'utf8')
const has = (name: string): boolean => existsSync(join(workspace, name))
const fault = (name: string): unknown => expect.objectContaining({ name: 'ToolError', code: name })
const apply = (...lines: readonly string[]): Promise<PatchResult> =>
  callTool(patch, { patch: lines.join('\n') }, { workspace })
const begin = (...lines: readonly string[]): Promise<PatchResult> =>
  apply('*** Begin Patch', ...lines, '*** End Patch')

/** What the reader says of a text that it refuses. */
function refusal(...lines: readonly string[]): string {
  try {
    parsePatch(lines.join('\n'))
    return 'read'
  } catch (error) {
    return error instanceof ToolError && error.code === 'invalid_input' ? error.message : 'crashed'
  }
}

beforeEach(() => {
  workspace = mkdtempSync(join(realpathSync(tmpdir()), 'patch-'))
  put('a', 'one\ntwo\nthree\nfour\nfive\n')
})
afterEach(() => {
  rmSync(workspace, { recursive: true })
})

describe('a unified diff', () => {
  it('changes, makes, moves and deletes files at once', async () => {
    put('gone', 'x\n')
    put('old', 'p\nq\n')

    const result = await apply(
      'diff --git a/a b/a',
      'index 1234567..89abcde 100644',
      '--- a/a',
      '+++ b/a',
      '@@ -1,3 +1,3 @@ a heading',
      ' one',
      '-two',
      '+TWO',
      ' three',
      '@@ -5 +5,2 @@',
      ' five',
      '+six',
      'diff --git a/new/b b/new/b',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/new/b',
      '@@ -0,0 +1,2 @@',
      '+x',
      '+',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-x',
      'diff --git a/old b/moved',
      'similarity index 50%',
      'rename from old',
      'rename to moved',
      '--- a/old',
      '+++ b/moved',
      '@@ -1,2 +1,2 @@',
      ' p',
      '-q',
      '+Q',
      '',
    )

    expect(result.files).toEqual([
      { path: 'a', change: 'updated' },
      { path: 'new/b', change: 'added' },
      { path: 'gone', change: 'deleted' },
      { path: 'old', change: 'moved', to: 'moved' },
    ])
    expect(get('a')).toBe('one\nTWO\nthree\nfour\nfive\nsix\n')
    expect(get('new/b')).toBe('x\n\n')
    expect([has('gone'), has('old'), get('moved')]).toEqual([false, false, 'p\nQ\n'])
  })

  it('needs no headers of git, no prefixes and no times, and takes all of them', async () => {
    await apply('--- a', '+++ a', '@@ -2 +2 @@', '-two', '+2')
    await apply(
      '--- a/a\t2024-01-02 03:04:05.123456789 +0100',
      '+++ b/a\t',
      '@@ -4,1 +4,1 @@',
      '-four',
      '+4',
    )

    expect(get('a')).toBe('one\n2\nthree\n4\nfive\n')
  })

  it('finds lines that stand elsewhere, if they stand there once', async () => {
    await apply('--- a', '+++ a', '@@ -40,2 +40,2 @@', ' four', '-five', '+5')

    expect(get('a')).toBe('one\ntwo\nthree\nfour\n5\n')
  })

  it('takes the stated line where the same lines stand twice, and nothing where it is wrong', async () => {
    put('b', 'x\ny\nx\ny\n')

    await apply('--- b', '+++ b', '@@ -3 +3 @@', '-x', '+z')
    expect(get('b')).toBe('x\ny\nz\ny\n')

    const answer = apply('--- b', '+++ b', '@@ -9 +9 @@', '-y', '+z')
    await expect(answer).rejects.toEqual(fault('ambiguous_match'))
  })

  it.each([
    ['x', ['-x', '\\ No newline at end of file', '+y'], 'y\n'],
    ['x\n', ['-x', '+y', '\\ No newline at end of file'], 'y'],
    ['x', ['-x', '\\ No newline at end of file', '+y', '\\ No newline at end of file'], 'y'],
  ])('keeps to what it says of the last line end of %j', async (text, lines, expected) => {
    put('b', text)

    await apply('--- b', '+++ b', '@@ -1 +1 @@', ...lines)

    expect(get('b')).toBe(expected)
  })

  it('keeps the line ends of a file that has Windows ones', async () => {
    put('b', 'x\r\ny\r\n')

    await apply('--- b', '+++ b', '@@ -1,2 +1,3 @@', ' x', '+new', ' y')

    expect(get('b')).toBe('x\r\nnew\r\ny\r\n')
  })

  it('reads names in quotation marks as git writes them', () => {
    const name = '"a/f\\303\\274r \\"x\\".txt"'
    const text = [`--- ${name}`, `+++ ${name.replace('a/', 'b/')}`, '@@ -1 +1 @@', '-x', '+y']

    expect(pathsOf(parsePatch(text.join('\n')))).toEqual(['für "x".txt'])
  })

  it.each([
    ['an empty new file', ['new file mode 100644', 'index 0000000..e69de29']],
    ['an empty file that goes', ['deleted file mode 100644']],
  ])('reads %s', (_, lines) => {
    const [change] = parsePatch(['diff --git a/x y b/x y', ...lines].join('\n'))

    expect(change).toMatchObject({ path: 'x y', content: '' })
  })
})

describe('the format that begins with `*** Begin Patch`', () => {
  it('changes, makes, moves and deletes files at once', async () => {
    put('gone', 'x\n')
    put('old', 'class A\n  def f\n    return 1\nclass B\n  def f\n    return 1\n')

    const result = await begin(
      '*** Update File: a',
      '@@',
      ' two',
      '-three',
      '+3',
      '@@',
      '+six',
      '*** End of File',
      '*** Add File: new/b',
      '+x',
      '+',
      '*** Delete File: gone',
      '',
      '*** Update File: old',
      '*** Move to: moved',
      '@@ class B',
      '   def f',
      '-    return 1',
      '+    return 2',
      '',
    )

    expect(result.files.map(({ change }) => change)).toEqual([
      'updated',
      'added',
      'deleted',
      'moved',
    ])
    expect(get('a')).toBe('one\ntwo\n3\nfour\nfive\nsix\n')
    expect(get('new/b')).toBe('x\n\n')
    expect(get('moved')).toBe('class A\n  def f\n    return 1\nclass B\n  def f\n    return 2\n')
    expect([has('gone'), has('old')]).toEqual([false, false])
  })

  it('moves a file without changing it', async () => {
    put('b', Uint8Array.from([1, 0, 255]))

    await begin('*** Update File: b', '*** Move to: c/d')

    expect(has('b')).toBe(false)
    expect([...readFileSync(join(workspace, 'c/d'))]).toEqual([1, 0, 255])
  })

  it.each([
    ['lines that stand twice', 'ambiguous_match', ['@@', '-x', '+z']],
    ['lines that do not stand there', 'no_match', ['@@', '-q', '+z']],
    [
      'lines that stand there in another order',
      'no_match',
      ['@@', '-last', '+l', '@@', '-x', '+z'],
    ],
    ['a line before them that is missing', 'no_match', ['@@ nowhere', '-x', '+z']],
    ['a line before them that stands twice', 'ambiguous_match', ['@@ x', '-y', '+z']],
    ['lines with no place', 'ambiguous_match', ['@@', '+z']],
    ['an end that is none', 'no_match', ['@@', '-x', '+z', '*** End of File']],
  ])('refuses %s and names the hunk', async (_, name, lines) => {
    put('b', 'x\ny\nx\ny\nlast\n')

    const answer = begin('*** Update File: b', ...lines)

    await expect(answer).rejects.toEqual(fault(name))
    await expect(answer).rejects.toThrow(/^hunk \d of `b` /)
    expect(get('b')).toBe('x\ny\nx\ny\nlast\n')
  })
})

describe('what is judged', () => {
  it('is every path, for reading and for writing, spelt as in the patch', () => {
    const text = [
      '*** Begin Patch',
      '*** Add File: a/x',
      '*** Update File: ../y',
      '*** Move to: /etc/z',
      '*** Delete File: b/w',
      '*** End Patch',
    ].join('\n')

    const paths = ['a/x', '../y', '/etc/z', 'b/w']
    expect(patch.needs({ patch: text })).toEqual([
      ...paths.map((path) => ({ kind: 'path', access: 'write', path })),
      ...paths.map((path) => ({ kind: 'path', access: 'read', path })),
    ])
  })

  it.each([
    {},
    { patch: 7 },
    { patch: '' },
    { patch: 'no patch' },
    { patch: '*** Begin Patch\n*** End Patch' },
  ])('is nothing for %j, which does not fit', async (args) => {
    expect(await validated(patch, args)).toBeUndefined()
  })

  const hunk = ['@@ -1 +1 @@', '-x', '+y']
  it.each<[string, readonly string[]]>([
    ['two names', ['--- a/x', '+++ b/y', ...hunk]],
    ['one prefix', ['--- a/x', '+++ x', ...hunk]],
    ['the prefixes the wrong way round', ['--- b/x', '+++ a/x', ...hunk]],
    ['another name in the first line', ['diff --git a/x b/z', '--- a/x', '+++ b/x', ...hunk]],
    [
      'another name in the rename',
      ['diff --git a/x b/y', 'rename from x', 'rename to z', '--- a/x', '+++ b/y', ...hunk],
    ],
    ['half a rename', ['diff --git a/x b/y', 'rename from x', '--- a/x', '+++ b/y', ...hunk]],
    ['a rename with another first line', ['diff --git a/x b/z', 'rename from x', 'rename to y']],
    [
      'a new file that is old',
      ['diff --git a/x b/x', 'new file mode 100644', '--- a/x', '+++ b/x', ...hunk],
    ],
    [
      'a header twice',
      ['diff --git a/x b/x', 'index 1234..5678', 'index 1234..5678', '--- a/x', '+++ b/x', ...hunk],
    ],
    ['a tab in the name', ['--- a/x\ty', '+++ b/x\ty', ...hunk]],
    ['two tabs', ['--- a/x\t2024-01-01 00:00:00\tz', '+++ b/x', ...hunk]],
    ['a blank after the name', ['--- a/x ', '+++ b/x ', ...hunk]],
    ['a mark that turns the writing', ['--- a/x\u202e', '+++ b/x\u202e', ...hunk]],
    ['a control character in octal', ['--- "a/x\\012y"', '+++ "b/x\\012y"', ...hunk]],
    ['octal that is no UTF-8', ['--- "a/\\377"', '+++ "b/\\377"', ...hunk]],
    ['an open quotation mark', ['--- "a/x', '+++ "b/x', ...hunk]],
    ['a quotation mark on one side', ['--- "a/x"', '+++ b/"x', ...hunk]],
    ['no file at all', ['--- /dev/null', '+++ /dev/null', '@@ -0,0 +1 @@', '+x']],
    ['a device', ['--- a//dev/null', '+++ b//dev/null', ...hunk]],
    [
      'a link',
      [
        'diff --git a/x b/x',
        'new file mode 120000',
        '--- /dev/null',
        '+++ b/x',
        '@@ -0,0 +1 @@',
        '+/etc',
      ],
    ],
    ['a mode', ['diff --git a/x b/x', 'old mode 100644', 'new mode 100755']],
    ['a copy', ['diff --git a/x b/y', 'copy from x', 'copy to y']],
    ['a binary file', ['diff --git a/x b/x', 'GIT binary patch']],
    ['the same file twice', ['--- x', '+++ x', ...hunk, '--- x', '+++ x', ...hunk]],
    [
      'the same file by another name',
      ['--- x', '+++ x', ...hunk, '--- d/../x', '+++ d/../x', ...hunk],
    ],
    ['words before it', ['Here it is:', '--- x', '+++ x', ...hunk]],
    ['words after it', ['--- x', '+++ x', ...hunk, 'done']],
    ['too many lines', ['--- x', '+++ x', ...hunk, '-z']],
    ['too few lines before the last line end', ['--- x', '+++ x', '@@ -1,2 +1 @@', '-x', '']],
    ['too few lines', ['--- x', '+++ x', '@@ -1,2 +1,2 @@', '-x', '+y']],
    ['numbers that do not fit', ['--- x', '+++ x', '@@ -1,1 +1,2 @@', '-x', ' y', '+z']],
    ['a header without numbers', ['--- x', '+++ x', '@@', '-x', '+y']],
    ['a hunk that changes nothing', ['--- x', '+++ x', '@@ -1 +1 @@', ' x']],
    ['no hunk', ['--- x', '+++ x']],
    [
      'a line after the last one',
      ['--- x', '+++ x', '@@ -1,2 +1 @@', '-x', '\\ No newline at end of file', '-y', '+z'],
    ],
    ['no end', ['*** Begin Patch', '*** Delete File: x']],
    [
      'something after the end',
      ['*** Begin Patch', '*** Delete File: x', '*** End Patch', '--- x'],
    ],
    ['an unknown section', ['*** Begin Patch', '*** Rename File: x', '*** End Patch']],
    ['a section without a path', ['*** Begin Patch', '*** Delete File: ', '*** End Patch']],
    ['a path in quotation marks', ['*** Begin Patch', '*** Delete File: "x"', '*** End Patch']],
    ['an update of nothing', ['*** Begin Patch', '*** Update File: x', '*** End Patch']],
    [
      'a line without a sign',
      ['*** Begin Patch', '*** Update File: x', '@@', '-x', 'y', '*** End Patch'],
    ],
    ['a new line without a sign', ['*** Begin Patch', '*** Add File: x', 'y', '*** End Patch']],
    [
      'a move onto itself',
      ['*** Begin Patch', '*** Update File: x', '*** Move to: ./x', '*** End Patch'],
    ],
  ])('has one reading: %s is refused with the line', (_, lines) => {
    expect(refusal(...lines)).toMatch(/^the patch is refused at its line \d+: /)
  })

  it('names the hunk of a malformed diff', () => {
    const text = ['--- x', '+++ x', '@@ -1 +1 @@', '-x', '+y', '@@ -5,9 +5,9 @@', '-z']

    expect(refusal(...text)).toContain('hunk 2 of `x` has fewer lines than it says')
  })

  it('[H-28] stays what was judged: links and second names are not followed', async () => {
    mkdirSync(join(workspace, 'out'))
    put('out/t', 'x\n')
    linkSync(join(workspace, 'out/t'), join(workspace, 'second'))
    symlinkSync('missing', join(workspace, 'dangling'))

    await expect(apply('--- second', '+++ second', '@@ -1 +1 @@', '-x', '+y')).rejects.toThrow()
    await expect(begin('*** Delete File: second')).rejects.toThrow()

    expect(get('out/t')).toBe('x\n')
    expect(has('second')).toBe(true)
  })
})

describe('all or nothing', () => {
  it.each([
    [
      'a later hunk that does not match',
      ['*** Update File: a', '@@', '-one', '+1', '@@', '-nine', '+9'],
    ],
    [
      'a later file that is missing',
      ['*** Update File: a', '@@', '-one', '+1', '*** Delete File: b'],
    ],
    [
      'a new file that is there',
      ['*** Update File: a', '@@', '-one', '+1', '*** Add File: c', '+x'],
    ],
    ['a move onto a file', ['*** Delete File: a', '*** Update File: d', '*** Move to: c']],
    ['a file that is no text', ['*** Delete File: a', '*** Update File: e', '@@', '-x', '+y']],
    ['a folder', ['*** Delete File: a', '*** Delete File: f']],
  ])('%s changes no file', async (_, lines) => {
    put('c', 'c\n')
    put('d', 'd\n')
    put('e', Uint8Array.from([0, 1]))
    mkdirSync(join(workspace, 'f'))

    await expect(begin(...lines)).rejects.toThrow()

    expect(get('a')).toBe('one\ntwo\nthree\nfour\nfive\n')
    expect([get('c'), get('d')]).toEqual(['c\n', 'd\n'])
  })

  it('a deleted file that holds something else stays', async () => {
    const answer = apply('--- a/a', '+++ /dev/null', '@@ -1 +0,0 @@', '-one')

    await expect(answer).rejects.toEqual(fault('no_match'))
    expect(has('a')).toBe(true)
  })

  it('what was written is put back when a later file cannot be', async () => {
    put('z', 'z\n')
    const text = [
      '*** Begin Patch',
      ...['*** Update File: a', '@@', '-one', '+1', '*** Add File: n', '+n'],
      ...['*** Update File: z', '@@', '-z', '+y', '*** End Patch'],
    ].join('\n')
    const written: string[] = []
    const files = {
      read: (path: string) => Promise.resolve().then(() => bytesAt(path)),
      write: (path: string, content: Uint8Array | string) => {
        if (path === 'z') return Promise.reject(new ToolError('not_permitted', 'no'))
        written.push(path)
        put(path, content)
        return Promise.resolve()
      },
      remove: (path: string) => {
        rmSync(join(workspace, path))
        return Promise.resolve()
      },
    }

    const answer = patch.execute?.({ patch: text }, { files } as never)

    await expect(answer).rejects.toEqual(fault('not_permitted'))
    expect(written).toEqual(['a', 'n', 'a'])
    expect([get('a').slice(0, 3), get('z'), has('n')]).toEqual(['one', 'z\n', false])
  })

  it('keeps the mode of a file', async () => {
    chmodSync(join(workspace, 'a'), 0o755)

    await begin('*** Update File: a', '@@', '-one', '+1')

    expect(statSync(join(workspace, 'a')).mode & 0o777).toBe(0o755)
  })
})

function bytesAt(path: string): Uint8Array {
  if (!has(path)) throw new ToolError('not_found', 'there is no such file or folder')
  return readFileSync(join(workspace, path))
}
