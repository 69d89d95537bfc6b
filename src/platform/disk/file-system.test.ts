import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freeBytes, networkFileSystem, userSpaceNetwork } from './file-system.js'

const MOUNTS = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '40 22 0:51 / /mnt/far rw,nosuid shared:9 - fuse.sshfs host:/ rw,user_id=0',
  '41 22 0:52 / /mnt/near rw - fuse.gocryptfs /home/user/.cipher rw',
  '42 22 8:17 / /mnt/stick rw - fuseblk /dev/sdb1 rw',
].join('\n')

describe('a file system', () => {
  it('[H-20] is local under a temporary folder, and has space', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sixgate-fs-'))

    expect(await networkFileSystem(folder)).toBeNull()
    expect(await freeBytes(folder)).toBeGreaterThan(0)
    await rm(folder, { recursive: true })
  })

  const devices: readonly (readonly [number, string | null])[] = [
    [51, 'fuse.sshfs'],
    [52, null],
    [8 * 256 + 17, null],
    // Not in the table at all: nothing shows that it is local.
    [99, 'fuse'],
  ]
  it.each(devices)('[H-20] in user space as device %i is known as %s', (dev, expected) => {
    expect(userSpaceNetwork(MOUNTS, dev)).toBe(expected)
  })
})
