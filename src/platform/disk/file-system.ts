/** What is under a folder: a file system that keeps promises about locks and flushes, or not (H-20). */

import { readFile, stat, statfs } from 'node:fs/promises'

/**
 * The name of a network file system, `null` for a local one. Known on Linux; elsewhere only a
 * Windows network share is seen.
 */
export async function networkFileSystem(folder: string): Promise<string | null> {
  if (process.platform === 'win32') return /^[\\/]{2}(?![?.])/.test(folder) ? 'share' : null
  if (process.platform !== 'linux') return null
  const { type } = await statfs(folder)
  if (type !== FUSE) return NETWORK_TYPES.get(type) ?? null
  const { dev } = await stat(folder)
  return userSpaceNetwork(await readFile('/proc/self/mountinfo', 'utf8'), dev)
}

/** Bytes that an ordinary user may still write. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Names the user-space file system mounted as device `dev`, unless it is known to be local; exported
 * for its test.
 */
export function userSpaceNetwork(mountinfo: string, dev: number): string | null {
  const kinds = mountinfo.split('\n').flatMap((line) => {
    const [place = '', source = ''] = line.split(' - ')
    return place.split(' ')[2] === deviceText(dev) ? [source.split(' ')[0] ?? ''] : []
  })
  const [kind = 'fuse'] = kinds
  return LOCAL_USER_SPACE.has(kind) ? null : kind
}

const FUSE = 0x65735546

/** Magic numbers of `statfs(2)`. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xfe534d42, 'smb2'],
  [0xff534d42, 'cifs'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
])

/** Anything not named here may well be a network file system in user space. */
const LOCAL_USER_SPACE: ReadonlySet<string> = new Set([
  'fuseblk',
  'fuse.fuse-overlayfs',
  'fuse.gocryptfs',
  'fuse.bindfs',
])

/** Major and minor number, as glibc's `gnu_dev_major` and `gnu_dev_minor` take them apart. */
function deviceText(dev: number): string {
  const bits = BigInt(dev)
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xfffff000n)
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffffff00n)
  return `${major}:${minor}`
}
