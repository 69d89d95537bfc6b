/* Makes the system calls that a sandboxed command must not make and prints what the kernel answered. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define HIGH 0xdead00000000ul

static void say(const char *name, long result) {
  printf("%s %s\n", name, result < 0 ? strerrorname_np(errno) : "ok");
  fflush(stdout);
}

/* A call that may kill: made in a child, so that the answer can be told. */
static void in_child(const char *name, void (*act)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    act();
    _exit(errno == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s SIG%s\n", name, sigabbrev_np(WTERMSIG(status)));
  else printf("%s exit %d\n", name, WEXITSTATUS(status));
  fflush(stdout);
}

#if defined(__x86_64__)
static void int80(long number, long a, long b) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b) : "memory");
  errno = result < 0 ? (int)-result : 0;
}
static void int80_getpid(void) { int80(20, 0, 0); }
static void int80_socket(void) { int80(359, AF_UNIX, SOCK_STREAM); }
static void x32_socket(void) { syscall(0x40000000 + SYS_socket, AF_UNIX, SOCK_STREAM, 0); }
#endif

static void *thread(void *unused) { return unused; }

static void unshare_all(void) {
  say("unshare_newuser", unshare(CLONE_NEWUSER));
  say("unshare_newtime", unshare(0x80));
}

static void trace_me(void) { say("ptrace_answer", ptrace(PTRACE_TRACEME, 0, NULL, NULL)); }

static void nothing(void) { errno = 0; }

static int idle(void *unused) {
  (void)unused;
  return 0;
}

static void families(void) {
  const struct { const char *name; int family; int type; } rows[] = {
    {"unix", AF_UNIX, SOCK_STREAM},
    {"unix_raw_flags", AF_UNIX, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {"inet", AF_INET, SOCK_STREAM},
    {"inet6", AF_INET6, SOCK_DGRAM},
    {"netlink", AF_NETLINK, SOCK_RAW},
    {"packet", AF_PACKET, SOCK_RAW},
    {"vsock", AF_VSOCK, SOCK_STREAM},
    {"alg", AF_ALG, SOCK_SEQPACKET},
  };
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
    char name[64];
    snprintf(name, sizeof name, "socket_%s", rows[at].name);
    say(name, syscall(SYS_socket, rows[at].family, rows[at].type, 0));
  }
  say("socket_high_bits", syscall(SYS_socket, HIGH | AF_UNIX, HIGH | SOCK_STREAM, HIGH));
  int pair[2];
  say("pair_dgram", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  say("pair_stream", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  struct sockaddr_un nowhere = {.sun_family = AF_UNIX};
  say("bind", bind(pair[0], (struct sockaddr *)&nowhere, sizeof(sa_family_t)));
  say("connect", connect(pair[0], (struct sockaddr *)&nowhere, sizeof(sa_family_t)));
  say("listen", listen(pair[0], 1));
  say("accept", accept(pair[0], NULL, NULL));
}

static void terminals(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0) {
    say("terminal", -1);
    return;
  }
  const char *slave_name = ptsname(master);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    setsid();
    int slave = open(slave_name, O_RDWR); /* becomes the controlling terminal */
    ioctl(slave, TIOCSCTTY, 0);
    struct winsize size;
    say("terminal", ioctl(slave, TIOCGWINSZ, &size));
    say("tiocsti", syscall(SYS_ioctl, slave, (unsigned long)TIOCSTI, "x"));
    say("tiocsti_high_bits", syscall(SYS_ioctl, slave, HIGH | TIOCSTI, "x"));
    char subcode = 2;
    say("tioclinux", syscall(SYS_ioctl, slave, (unsigned long)TIOCLINUX, &subcode));
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* Changes nothing where nothing stops it: paths do not exist, children end at once. */
/* Runs a command where no user namespace can be made, as inside of many containers. */
static int without_namespaces(char **command) {
  const unsigned number = offsetof(struct seccomp_data, nr);
  const unsigned flags = offsetof(struct seccomp_data, args[0]);
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 2;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) return 2;
  execvp(command[0], command);
  return 2;
}

int main(int count, char **arguments) {
  if (count > 2 && strcmp(arguments[1], "without-namespaces") == 0) {
    return without_namespaces(arguments + 2);
  }
  static char stack[65536];
  char buffer[256] = {0};
  say("open_tree", syscall(428, AT_FDCWD, "/", 1));
  say("move_mount", syscall(429, -1, "", -1, "", 0));
  say("fsopen", syscall(430, "tmpfs", 0));
  say("mount_setattr", syscall(442, AT_FDCWD, "/nonexistent-sixgate", 0, buffer, 32));
  say("open_tree_attr", syscall(467, AT_FDCWD, "/", 1, buffer, 32));
  say("mount", syscall(SYS_mount, "none", "/nonexistent-sixgate", "tmpfs", 0, NULL));
  say("umount", syscall(SYS_umount2, "/nonexistent-sixgate", 2));
  say("chroot", chroot("/nonexistent-sixgate"));
  long cloned = syscall(SYS_clone3, buffer, 64);
  if (cloned == 0) _exit(0);
  say("clone3", cloned);
  say("clone_newuser", clone(idle, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, NULL));
  in_child("unshare", unshare_all);
  say("setns", setns(open("/proc/1/ns/mnt", O_RDONLY), 0));
  in_child("ptrace", trace_me);
  say("process_vm_readv", syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
  say("pidfd_getfd", syscall(438, 0, 0, 0));
  say("kcmp", syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0));
  say("io_uring_setup", syscall(425, 1, buffer));
  say("keyctl", syscall(SYS_keyctl, 0, -3, 1));
  say("add_key", syscall(SYS_add_key, "user", "sixgate", "x", 1, -3));
  say("userfaultfd", syscall(SYS_userfaultfd, 1));
  say("bpf", syscall(SYS_bpf, 5, buffer, 64));
  say("perf_event_open", syscall(SYS_perf_event_open, buffer, 0, -1, -1, 0));
  say("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, buffer, 0));
  say("newer_than_the_table", syscall(468, 0, 0, 0, 0, 0));
  families();
  terminals();
#if defined(__x86_64__)
  in_child("int80_getpid", int80_getpid);
  in_child("int80_socket", int80_socket);
  in_child("x32_socket", x32_socket);
#endif
  pthread_t one;
  errno = pthread_create(&one, NULL, thread, NULL);
  say("thread", errno == 0 ? pthread_join(one, NULL) : -1);
  in_child("fork", nothing);
  return 0;
}
