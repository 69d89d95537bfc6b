/** Numbers of the system calls that the filter speaks about, one row a call: x86-64, arm64 (sandbox.md §4). */

/** Processors that the filter is assembled for. */
export const ARCHITECTURES = ['x64', 'arm64'] as const
export type Architecture = (typeof ARCHITECTURES)[number]

type Row = readonly [x64: number | null, arm64: number | null]

/** Refused whatever their arguments. */
export const FORBIDDEN: Readonly<Record<string, Row>> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  setns: [308, 268],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  open_by_handle_at: [304, 265],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  nfsservctl: [180, 42],
  lookup_dcookie: [212, 18],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  vhangup: [153, 58],
  uselib: [134, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  memfd_secret: [447, 447],
}

/** Answered as if the kernel were older: programs then take a way that the filter can see into. */
export const UNKNOWN: Readonly<Record<string, Row>> = {
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Its flags lie in memory, where no filter can read them; C libraries fall back to `clone`.
  clone3: [435, 435],
  // The same holds for the mode of the file that it makes; programs fall back to `openat`.
  openat2: [437, 437],
}

/** Which argument is the mode of a file. */
export const MODE_ARGUMENT = {
  chmod: 1,
  fchmod: 1,
  fchmodat: 2,
  fchmodat2: 2,
  creat: 1,
  mknod: 1,
  mknodat: 2,
} as const

/** The same for calls whose flags say whether there is a mode. */
export const OPEN_ARGUMENTS = {
  open: { flags: 1, mode: 2 },
  openat: { flags: 2, mode: 3 },
} as const

/** Judged by their arguments, or by whether there is a network. */
export const JUDGED: {
  readonly [
    N in
      | 'clone'
      | 'unshare'
      | 'ioctl'
      | 'socket'
      | 'socketpair'
      | 'connect'
      | 'bind'
      | 'listen'
      | 'accept'
      | 'accept4'
      | keyof typeof MODE_ARGUMENT
      | keyof typeof OPEN_ARGUMENTS
  ]: Row
} = {
  clone: [56, 220],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  creat: [85, null],
  mknod: [133, null],
  mknodat: [259, 33],
  open: [2, null],
  openat: [257, 56],
}

/** The newest call that was looked at; later ones are unknown. */
export const NEWEST = 467

/** A row's number on one processor. */
export function numberOf(row: Row, architecture: Architecture): number | null {
  return row[ARCHITECTURES.indexOf(architecture) === 0 ? 0 : 1]
}
