import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callTool, validated } from '../../../test/builders/tool-call.js'
import { edit } from './edit.js'
import { ls } from './ls.js'
import { read } from './read.js'
import { write } from './write.js'

let workspace = ''
const put = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(workspace, name), content)
const get = (name: string): string => readFileSync(join(workspace, name), 'utf8')
const fault = (name: string): unknown => expect.objectContaining({ name: 'ToolError', code: name })

beforeEach(() => {
  workspace = mkdtempSync(join(realpathSync(tmpdir()), 'tools-'))
})
afterEach(() => {
  rmSync(workspace, { recursive: true })
})

describe('read', () => {
  it('needs every path that it is given, however it is given', async () => {
    const args = { file_path: 'a', files: [{ path: 'b', more: 1 }, { path: 'c' }], extra: true }

    const valid = await validated(read, args)

    const paths = ['a', 'b', 'c'].map((path) => ({ kind: 'path', access: 'read', path }))
    expect(valid && read.needs(valid)).toEqual(paths)
  })

  it.each([
    {},
    { file_path: 1 },
    { file_path: '' },
    { files: [] },
    { files: [{ path: 1 }] },
    { files: ['a'] },
  ])('does not accept %j', async (args) => {
    expect(await validated(read, args)).toBeUndefined()
  })

  it('does not accept a good path beside a bad one', async () => {
    expect(await validated(read, { file_path: 'a', files: [{ path: 7 }] })).toBeUndefined()
  })

  it('returns whole files, cleaned, with their number of lines', async () => {
    put('a', 'one\ntwo\n')
    put('b', '\x1b[1mbold\x1b[0m')

    const result = await callTool(read, { files: [{ path: 'a' }, { path: './b' }] }, { workspace })

    expect(result.files).toEqual([
      { path: 'a', content: 'one\ntwo\n', totalLines: 2, truncated: false },
      { path: './b', content: 'bold', totalLines: 1, truncated: false },
    ])
  })

  it('returns the lines that were asked for', async () => {
    put('a', '1\n2\n3\n4\n')

    const result = await callTool(read, { file_path: 'a', offset: 2, limit: 2 }, { workspace })

    expect(result.files[0]).toMatchObject({ content: '2\n3', totalLines: 4 })
  })

  it('gives no partial answer when one file is missing or binary', async () => {
    put('a', 'x')
    put('binary', Uint8Array.from([1, 0, 2]))

    const missing = callTool(read, { files: [{ path: 'a' }, { path: 'b' }] }, { workspace })
    await expect(missing).rejects.toEqual(fault('not_found'))

    const binary = callTool(read, { file_path: 'binary' }, { workspace })
    await expect(binary).rejects.toEqual(fault('not_text'))
  })
})

describe('write', () => {
  it('writes the content where the call said, making folders of the workspace', async () => {
    const args = { file_path: 'new/file', content: 'é\n' }

    expect(await callTool(write, args, { workspace })).toEqual({ path: 'new/file', bytes: 3 })
    expect(get('new/file')).toBe('é\n')
    expect(write.needs(args)).toEqual([{ kind: 'path', access: 'write', path: 'new/file' }])
  })

  it.each([{}, { content: 'x' }, { file_path: 7, content: 'x' }, { file_path: 'a', content: 7 }])(
    'does not accept %j',
    async (args) => {
      expect(await validated(write, args)).toBeUndefined()
    },
  )

  it('can be judged without content, and then writes nothing', async () => {
    put('a', 'kept')

    const answer = callTool(write, { file_path: 'a' }, { workspace })

    await expect(answer).rejects.toEqual(fault('invalid_input'))
    expect(get('a')).toBe('kept')
  })
})

describe('edit', () => {
  it('needs the path for writing and for reading', () => {
    expect(edit.needs({ file_path: 'a' })).toEqual([
      { kind: 'path', access: 'write', path: 'a' },
      { kind: 'path', access: 'read', path: 'a' },
    ])
  })

  it('replaces the only occurrence exactly as given', async () => {
    put('a', 'one two $& three\r\n')
    const args = { file_path: 'a', old_string: 'two $&', new_string: "$1 $' $$" }

    expect(await callTool(edit, args, { workspace })).toEqual({ path: 'a', replacements: 1 })
    expect(get('a')).toBe("one $1 $' $$ three\r\n")
  })

  it('replaces all occurrences when told to', async () => {
    put('a', 'x.x.x')
    const args = { file_path: 'a', old_string: 'x', new_string: '', replace_all: true }

    expect(await callTool(edit, args, { workspace })).toMatchObject({ replacements: 3 })
    expect(get('a')).toBe('..')
  })

  it.each([
    ['no_match', { old_string: 'z', new_string: 'y' }],
    ['ambiguous_match', { old_string: 'x', new_string: 'y' }],
    ['invalid_input', { old_string: '', new_string: 'y' }],
    ['invalid_input', { new_string: 'y' }],
    ['invalid_input', { old_string: 'x' }],
  ])('changes nothing and says %s for %j', async (name, strings) => {
    put('a', 'x.x')

    const answer = callTool(edit, { file_path: 'a', ...strings }, { workspace })

    await expect(answer).rejects.toEqual(fault(name))
    expect(get('a')).toBe('x.x')
  })

  it('does not touch a file whose bytes are no UTF-8 text', async () => {
    put('a', Uint8Array.from([0x61, 0xff, 0x62]))

    const answer = callTool(
      edit,
      { file_path: 'a', old_string: 'a', new_string: 'c' },
      { workspace },
    )

    await expect(answer).rejects.toEqual(fault('not_text'))
  })

  it('keeps a byte order mark', async () => {
    put('a', '\ufeffold')

    await callTool(edit, { file_path: 'a', old_string: 'old', new_string: 'new' }, { workspace })

    expect(get('a')).toBe('\ufeffnew')
  })
})

describe('ls', () => {
  it('lists the folder of the call or another one, with cleaned names', async () => {
    mkdirSync(join(workspace, 'folder'))
    put('folder/a\x1b[1mb', '')

    expect(await callTool(ls, {}, { workspace })).toEqual({
      path: '.',
      entries: [{ name: 'folder', kind: 'directory' }],
      truncated: false,
    })
    expect(await callTool(ls, { path: 'folder' }, { workspace })).toMatchObject({
      entries: [{ name: 'ab', kind: 'file' }],
    })
    expect(ls.needs({})).toEqual([{ kind: 'path', access: 'read', path: '.' }])
  })

  it('does not accept a path that is no text', async () => {
    expect(await validated(ls, { path: 7 })).toBeUndefined()
  })
})
