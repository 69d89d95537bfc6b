/** The broker's C# as one text, compiled by PowerShell once a session (sandbox.md §6). */

import { ACCESS } from './access.js'
import { COMMAND } from './command.js'
import { JOURNAL } from './journal.js'
import { LEASE } from './lease.js'
import { NATIVE } from './native.js'
import { RUN } from './run.js'
import { SELF_TEST } from './self-test.js'
import { WINDOWS } from './windows.js'
import { WIRE } from './wire.js'

const USED = [
  'System',
  'System.Collections.Generic',
  'System.ComponentModel',
  'System.Diagnostics',
  'System.Globalization',
  'System.IO',
  'System.Net',
  'System.Net.Sockets',
  'System.Runtime.InteropServices',
  'System.Security.AccessControl',
  'System.Security.Cryptography',
  'System.Security.Principal',
  'System.Text',
  'System.Threading',
  'Microsoft.Win32.SafeHandles',
] as const

/** The whole source; ASCII, so that no code page changes it. */
export const BROKER_SOURCE: string = [
  ...USED.map((name) => `using ${name};\n`),
  'namespace Sixgate {',
  ...[WIRE, ACCESS, JOURNAL, LEASE, COMMAND, SELF_TEST, NATIVE, WINDOWS, RUN],
  '}\n',
].join('')
