/** What common programs do to the files that are their operands (rules.md §5 item 6). Data only. */

import type { Valued } from './operands.js'

/** One row: every operand, past `skip` of them, is read, written or listed. */
export interface FileProgram extends Valued {
  readonly names: readonly string[]
  readonly access: 'read' | 'write' | 'list'
  /** Leading operands that are no paths. */
  readonly skip?: number | undefined
  /** Options that make up for those operands. */
  readonly skipUnless?: readonly string[] | undefined
  /** Options that reach everything below; `always` without one. */
  readonly walks?: readonly string[] | 'always' | undefined
  /** Without operands it works on its folder. */
  readonly here?: boolean | undefined
  /** Options whose value is a file that is written. */
  readonly outputs?: readonly string[] | undefined
  /** Options whose value is a file that is read. */
  readonly inputs?: readonly string[] | undefined
  /** Options that turn reading into writing in place. */
  readonly inPlace?: readonly string[] | undefined
}

const RECURSIVE = ['-r', '-R', '--recursive'] as const

export const FILE_PROGRAMS: readonly FileProgram[] = [
  {
    names: [
      'cat',
      'tac',
      'nl',
      'bat',
      'zcat',
      'bzcat',
      'xzcat',
      'zstdcat',
      'less',
      'more',
      'strings',
      'xxd',
      'hexdump',
    ],
    access: 'read',
  },
  { names: ['head', 'tail'], access: 'read', valued: 'ncs', longValued: ['lines', 'bytes'] },
  { names: ['od'], access: 'read', valued: 'AjNtw' },
  {
    names: ['wc', 'md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'shasum', 'cksum', 'b2sum'],
    access: 'read',
    valued: 'a',
  },
  { names: ['base64', 'base32', 'rev', 'pr', 'expand', 'unexpand'], access: 'read', valued: 'w' },
  { names: ['cut', 'paste'], access: 'read', valued: 'dfbc' },
  {
    names: ['sort', 'gsort'],
    access: 'read',
    valued: 'ktSTo',
    longValued: ['key', 'field-separator', 'output'],
    outputs: ['-o', '--output'],
  },
  { names: ['uniq', 'fold', 'fmt', 'column', 'join', 'comm'], access: 'read', valued: 'fswtc12' },
  { names: ['diff', 'cmp', 'sdiff', 'vimdiff'], access: 'read', valued: 'UCIx', walks: RECURSIVE },
  {
    names: ['jq', 'yq', 'gojq'],
    access: 'read',
    skip: 1,
    skipUnless: ['-f', '--from-file'],
    valued: 'fL',
  },
  {
    names: ['grep', 'egrep', 'fgrep', 'zgrep', 'ggrep'],
    access: 'read',
    skip: 1,
    skipUnless: ['-e', '-f', '--regexp', '--file'],
    valued: 'efmABCdD',
    longValued: ['regexp', 'file', 'max-count', 'context', 'include', 'exclude', 'exclude-dir'],
    inputs: ['-f', '--file'],
    walks: [...RECURSIVE, '--dereference-recursive'],
  },
  {
    names: ['rg', 'ag', 'ack'],
    access: 'read',
    skip: 1,
    skipUnless: ['-e', '-f', '--regexp', '--file', '--files'],
    valued: 'efgmABCtTMjEr',
    longValued: [
      'regexp',
      'file',
      'glob',
      'type',
      'type-not',
      'max-count',
      'context',
      'iglob',
      'sort',
    ],
    inputs: ['-f', '--file'],
    walks: 'always',
    here: true,
  },
  {
    names: ['sed', 'gsed'],
    access: 'read',
    skip: 1,
    skipUnless: ['-e', '-f', '--expression', '--file'],
    valued: 'ef',
    longValued: ['expression', 'file'],
    inputs: ['-f', '--file'],
    inPlace: ['-i', '--in-place'],
  },
  {
    names: ['awk', 'gawk', 'mawk', 'nawk'],
    access: 'read',
    skip: 1,
    skipUnless: ['-f', '--file'],
    valued: 'fFv',
    inputs: ['-f', '--file'],
  },
  {
    names: [
      'source',
      '.',
      'python',
      'node',
      'ruby',
      'perl',
      'php',
      'bash',
      'sh',
      'zsh',
      'dash',
      'ksh',
    ],
    access: 'read',
    valued: 'cemIo',
  },
  {
    names: ['ls', 'dir', 'vdir', 'll', 'eza', 'exa', 'lsd'],
    access: 'list',
    valued: 'ITw',
    walks: ['-R', '--recursive'],
  },
  { names: ['tree'], access: 'list', valued: 'LPI', walks: 'always', here: true },
  { names: ['du'], access: 'list', valued: 'd', walks: 'always', here: true },
  { names: ['stat', 'file', 'realpath', 'readlink'], access: 'list', valued: 'cf' },
  {
    names: ['tee', 'touch', 'mkdir', 'rmdir', 'mkfifo', 'mknod'],
    access: 'write',
    valued: 'mtdr',
    inputs: ['-r', '--reference'],
  },
  { names: ['rm', 'unlink', 'shred', 'srm', 'trash', 'grm'], access: 'write', walks: RECURSIVE },
  { names: ['truncate', 'fallocate'], access: 'write', valued: 'slro' },
  {
    names: ['chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'setfattr'],
    access: 'write',
    skip: 1,
    walks: RECURSIVE,
  },
  {
    names: ['gzip', 'gunzip', 'bzip2', 'bunzip2', 'xz', 'unxz', 'zstd'],
    access: 'write',
    valued: 'S',
    walks: ['-r'],
  },
  { names: ['zip'], access: 'write', valued: 'xinP', walks: RECURSIVE },
  {
    names: ['patch'],
    access: 'write',
    valued: 'pidBVzDFr',
    inputs: ['-i', '--input'],
    outputs: ['-o', '-r', '--output'],
  },
  {
    names: ['nano', 'vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'code'],
    access: 'write',
    valued: 'cSu',
  },
]
