/** What common programs do to the files that are their operands (rules.md §5 item 6). Data only. */

import type { Valued } from './operands.js'

/** One row: every operand, past `skip` of them, is read, written or listed; `edit` is both of the first. */
export interface FileProgram extends Valued {
  readonly names: readonly string[]
  readonly access: 'read' | 'write' | 'edit' | 'list'
  /** Leading operands that are no paths. */
  readonly skip?: number | undefined
  /** Options that make up for those operands. */
  readonly skipUnless?: readonly string[] | undefined
  /** Options that reach everything below, `option=value` where only that value does; `always` without one. */
  readonly walks?: readonly string[] | 'always' | undefined
  /** Without operands it works on its folder; `walked` when an option makes it go below. */
  readonly here?: boolean | 'walked' | undefined
  /** The operand, counted from nothing, that is written instead. */
  readonly written?: number | undefined
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
      'batcat',
      'zcat',
      'bzcat',
      'xzcat',
      'zstdcat',
      'less',
      'more',
      'zless',
      'strings',
      'hexdump',
      'hd',
      'tsort',
      'split',
      'csplit',
    ],
    access: 'read',
  },
  { names: ['xxd'], access: 'read', valued: 'cglos', written: 1 },
  {
    names: ['shuf'],
    access: 'read',
    valued: 'ino',
    longValued: ['output'],
    outputs: ['-o', '--output'],
  },
  { names: ['head', 'tail'], access: 'read', valued: 'ncs', longValued: ['lines', 'bytes'] },
  { names: ['od'], access: 'read', valued: 'AjNt' },
  {
    names: [
      ...['wc', 'md5sum', 'md5', 'sum', 'cksum', 'b2sum', 'b3sum', 'shasum'],
      ...['sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum'],
    ],
    access: 'read',
    valued: 'a',
    longValued: ['files0-from'],
    inputs: ['--files0-from'],
  },
  {
    names: ['base64', 'base32', 'basenc', 'rev', 'pr', 'expand', 'unexpand'],
    access: 'read',
    valued: 'w',
  },
  { names: ['cut', 'paste'], access: 'read', valued: 'dfbc' },
  {
    names: ['sort', 'gsort'],
    access: 'read',
    valued: 'ktSTo',
    longValued: ['key', 'field-separator', 'output', 'files0-from'],
    outputs: ['-o', '--output'],
    inputs: ['--files0-from'],
  },
  { names: ['uniq'], access: 'read', valued: 'fsw', written: 1 },
  { names: ['fold', 'fmt'], access: 'read', valued: 'w' },
  { names: ['column'], access: 'read', valued: 'cso' },
  { names: ['join'], access: 'read', valued: 'ajeotv12' },
  { names: ['comm'], access: 'read' },
  { names: ['diff', 'cmp', 'sdiff', 'vimdiff'], access: 'read', valued: 'UCIx', walks: RECURSIVE },
  {
    names: ['jq', 'yq', 'gojq'],
    access: 'read',
    skip: 1,
    skipUnless: ['-f', '--from-file'],
    valued: 'fL',
    longValued: ['from-file'],
    inputs: ['-f', '--from-file'],
    inPlace: ['--inplace', '--in-place'],
  },
  {
    names: ['grep', 'egrep', 'fgrep', 'zgrep', 'ggrep'],
    access: 'read',
    skip: 1,
    skipUnless: ['-e', '-f', '--regexp', '--file'],
    valued: 'efmABCdD',
    longValued: [
      ...['regexp', 'file', 'max-count', 'context', 'include', 'exclude', 'exclude-dir'],
      ...['exclude-from', 'directories'],
    ],
    inputs: ['-f', '--file', '--exclude-from'],
    walks: [...RECURSIVE, '--dereference-recursive', '-d=recurse', '--directories=recurse'],
    here: 'walked',
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
  { names: ['source', '.'], access: 'read' },
  {
    names: ['bash', 'sh', 'rbash', 'dash', 'ash', 'ksh', 'mksh', 'zsh'],
    access: 'read',
    valued: 'coO',
    longValued: ['rcfile', 'init-file'],
    inputs: ['--rcfile', '--init-file'],
  },
  { names: ['python', 'pypy'], access: 'read', valued: 'cmWX' },
  {
    names: ['node', 'nodejs'],
    access: 'read',
    valued: 'epr',
    longValued: ['eval', 'print', 'require', 'import', 'env-file', 'env-file-if-exists'],
    inputs: ['-r', '--require', '--import', '--env-file', '--env-file-if-exists'],
  },
  { names: ['perl', 'ruby'], access: 'read', valued: 'eEI', inPlace: ['-i'] },
  { names: ['php'], access: 'read', valued: 'rdc' },
  {
    names: ['lua', 'luajit', 'rscript', 'julia', 'tclsh', 'tsx', 'ts-node'],
    access: 'read',
    valued: 'e',
    longValued: ['env-file', 'env-file-if-exists'],
    inputs: ['--env-file', '--env-file-if-exists'],
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
    names: ['touch'],
    access: 'write',
    valued: 'tdr',
    longValued: ['date', 'reference', 'time'],
    inputs: ['-r', '--reference'],
  },
  { names: ['mkdir', 'mkfifo', 'mknod'], access: 'write', valued: 'm', longValued: ['mode'] },
  { names: ['tee', 'rmdir'], access: 'write' },
  { names: ['rm', 'unlink', 'shred', 'srm', 'trash', 'grm'], access: 'write', walks: RECURSIVE },
  { names: ['truncate', 'fallocate'], access: 'write', valued: 'slro' },
  {
    names: ['chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'setfattr'],
    access: 'write',
    skip: 1,
    // A mode such as `-x` is no operand.
    skipUnless: ['--reference', ...[...'rwxXstugoaAiImbkdeEjSTuxDP'].map((letter) => `-${letter}`)],
    longValued: ['reference'],
    walks: RECURSIVE,
  },
  {
    names: ['gzip', 'gunzip', 'bzip2', 'bunzip2', 'xz', 'unxz', 'zstd'],
    access: 'edit',
    valued: 'S',
    walks: ['-r'],
  },
  { names: ['zip'], access: 'edit', valued: 'xinP', walks: RECURSIVE },
  {
    names: ['patch'],
    access: 'write',
    valued: 'pidBVzDFr',
    inputs: ['-i', '--input'],
    outputs: ['-o', '-r', '--output'],
  },
  {
    names: ['nano', 'vi', 'vim', 'view', 'nvim', 'emacs', 'ed', 'ex', 'code'],
    access: 'edit',
    valued: 'cSu',
  },
]
