/* The calls of the broker's job and pipes, in its order, with the numbers of its source (-D). It starts
 * itself as the child. Each line is a fact. */
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <stdio.h>
#include <string.h>

static HANDLE job, process, thread, from_child, to_child;

static void launch(const char *role, DWORD processes, SIZE_T memory) {
  SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  HANDLE in_read, out_write;
  SIZE_T size = 0;
  STARTUPINFOEXW startup;
  PROCESS_INFORMATION made;
  WCHAR self[MAX_PATH], line[2 * MAX_PATH];
  memset(&limits, 0, sizeof limits);
  job = CreateJobObjectW(NULL, NULL);
  limits.BasicLimitInformation.LimitFlags = OUR_LimitKillOnClose | OUR_LimitDieOnException;
  if (processes) {
    limits.BasicLimitInformation.LimitFlags |= OUR_LimitActiveProcess;
    limits.BasicLimitInformation.ActiveProcessLimit = processes;
  }
  if (memory) {
    limits.BasicLimitInformation.LimitFlags |= OUR_LimitJobMemory;
    limits.JobMemoryLimit = memory;
  }
  printf("%s limits set %d\n", role, SetInformationJobObject(job, OUR_ExtendedLimitInformation, &limits, sizeof limits));
  CreatePipe(&in_read, &to_child, &inherited, 0);
  CreatePipe(&from_child, &out_write, &inherited, 0);
  SetHandleInformation(to_child, OUR_HandleInherit, 0);
  SetHandleInformation(from_child, OUR_HandleInherit, 0);
  InitializeProcThreadAttributeList(NULL, 1, 0, &size);
  memset(&startup, 0, sizeof startup);
  startup.StartupInfo.cb = sizeof startup;
  startup.lpAttributeList = HeapAlloc(GetProcessHeap(), 0, size);
  InitializeProcThreadAttributeList(startup.lpAttributeList, 1, 0, &size);
  HANDLE handles[2] = { in_read, out_write };
  printf("%s list set %d\n", role, UpdateProcThreadAttribute(startup.lpAttributeList, 0, OUR_AttributeHandleList, handles, sizeof handles, NULL, NULL));
  startup.StartupInfo.dwFlags = OUR_UseStandardHandles;
  startup.StartupInfo.hStdInput = in_read;
  startup.StartupInfo.hStdOutput = startup.StartupInfo.hStdError = out_write;
  GetModuleFileNameW(NULL, self, MAX_PATH);
  swprintf(line, 2 * MAX_PATH, L"\"%ls\" %hs", self, role);
  DWORD flags = OUR_CreateSuspended | OUR_CreateUnicodeEnvironment | OUR_ExtendedStartupInfo | OUR_CreateNoWindow;
  printf("%s made %d\n", role, CreateProcessW(self, line, NULL, NULL, TRUE, flags, NULL, NULL, &startup.StartupInfo, &made));
  process = made.hProcess;
  thread = made.hThread;
  CloseHandle(in_read);
  CloseHandle(out_write);
  printf("%s assigned %d\n", role, AssignProcessToJobObject(job, process));
}

static int says(char *text, DWORD size) {
  DWORD read = 0;
  if (!ReadFile(from_child, text, size - 1, &read, NULL)) return 0;
  text[read] = 0;
  return (int)read;
}

static int child(const char *role) {
  char text[64];
  DWORD count;
  WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "alive", 5, &count, NULL);
  while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), text, sizeof text, &count, NULL) && count) {}
  if (!strcmp(role, "reads")) return 7;
  Sleep(60000);
  return 0;
}

int main(int count, char **words) {
  char text[64];
  DWORD code = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (count > 1) return child(words[1]);

  launch("reads", 8, 1 << 30);
  printf("reads silent while suspended %d\n", !PeekNamedPipe(from_child, NULL, 0, NULL, &code, NULL) || code == 0);
  printf("reads resumed %d\n", ResumeThread(thread) == 1);
  says(text, sizeof text);
  printf("reads says %s\n", text);
  CloseHandle(to_child);
  WaitForSingleObject(process, 20000);
  GetExitCodeProcess(process, &code);
  printf("reads exit code %lu\n", code);
  CloseHandle(job);

  launch("waits", 0, 0);
  ResumeThread(thread);
  says(text, sizeof text);
  printf("waits terminated %d\n", TerminateJobObject(job, 1));
  printf("waits ended %d\n", WaitForSingleObject(process, 20000) == WAIT_OBJECT_0);
  CloseHandle(job);

  launch("waits", 0, 0);
  ResumeThread(thread);
  says(text, sizeof text);
  CloseHandle(job);
  printf("waits ended with its job %d\n", WaitForSingleObject(process, 20000) == WAIT_OBJECT_0);
  return 0;
}
