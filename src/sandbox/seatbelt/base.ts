/** What every process on macOS needs whatever its policy says, in Seatbelt's own language (sandbox.md §5). */

/** Nothing but what follows; children have the same profile. */
export const BASE: readonly string[] = [
  '(version 1)',
  '(deny default)',
  '(allow process-fork)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  // A semaphore carries no data; without it no worker pool of Python starts.
  '(allow ipc-posix-sem)',
]

/** Names of users, and nothing that opens a program, a keychain, a clipboard or a connection. */
const SERVICES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.notification_center',
] as const

/** Facts about the machine. `kern.procargs2` is not among them: it gives the arguments of any process. */
const FACTS = [
  'hw.activecpu',
  'hw.busfrequency_compat',
  'hw.byteorder',
  'hw.cacheconfig',
  'hw.cachelinesize_compat',
  'hw.cpufamily',
  'hw.cpufrequency',
  'hw.cpufrequency_compat',
  'hw.cputype',
  'hw.l1dcachesize_compat',
  'hw.l1icachesize_compat',
  'hw.l2cachesize_compat',
  'hw.l3cachesize_compat',
  'hw.logicalcpu',
  'hw.logicalcpu_max',
  'hw.machine',
  'hw.memsize',
  'hw.model',
  'hw.ncpu',
  'hw.nperflevels',
  'hw.packages',
  'hw.pagesize',
  'hw.pagesize_compat',
  'hw.physicalcpu',
  'hw.physicalcpu_max',
  'hw.tbfrequency_compat',
  'hw.vectorunit',
  'kern.argmax',
  'kern.hostname',
  'kern.maxfilesperproc',
  'kern.maxproc',
  'kern.ngroups',
  'kern.osproductversion',
  'kern.osrelease',
  'kern.ostype',
  'kern.osvariant_status',
  'kern.osversion',
  'kern.secure_kernel',
  'kern.usrstack64',
  'kern.version',
  'machdep.cpu.brand_string',
  'sysctl.proc_cputype',
  'vm.loadavg',
] as const

const FACTS_THAT_BEGIN_WITH = ['hw.optional.', 'hw.perflevel'] as const

/** The services and facts of `BASE`, one rule each. */
export const MACHINE: readonly string[] = [
  rule('mach-lookup', [['global-name', SERVICES]]),
  rule('sysctl-read', [
    ['sysctl-name', FACTS],
    ['sysctl-name-prefix', FACTS_THAT_BEGIN_WITH],
  ]),
]

function rule(
  operation: string,
  filters: readonly (readonly [string, readonly string[]])[],
): string {
  const lines = filters.flatMap(([filter, names]) => names.map((name) => `(${filter} "${name}")`))
  return `(allow ${operation}\n  ${lines.join('\n  ')})`
}

/** Devices that hold nothing and reach nobody. */
export const READ_DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'] as const

/** Of these, those that swallow what is written. */
export const WRITTEN_DEVICES = ['/dev/null', '/dev/zero'] as const

/** The open files of the process itself, by name. */
export const OWN_FILES = ['/dev/stdin', '/dev/stdout', '/dev/stderr'] as const

/** The folder of them. */
export const OWN_FILES_FOLDER = '/dev/fd'
