/* The structures of the broker against the headers of Windows: it compiles or it does not. */
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <stddef.h>

#define SIZE(ours, theirs) _Static_assert(ours == sizeof(theirs), #ours)
#define PLACE(ours, theirs, field) _Static_assert(ours == offsetof(theirs, field), #ours)

SIZE(OUR_SecurityAttributes, SECURITY_ATTRIBUTES);
SIZE(OUR_SecurityCapabilities, SECURITY_CAPABILITIES);
SIZE(OUR_StartupInfo, STARTUPINFOW);
SIZE(OUR_StartupInfoEx, STARTUPINFOEXW);
SIZE(OUR_ProcessInformation, PROCESS_INFORMATION);
SIZE(OUR_BasicLimits, JOBOBJECT_BASIC_LIMIT_INFORMATION);
SIZE(OUR_IoCounters, IO_COUNTERS);
SIZE(OUR_ExtendedLimits, JOBOBJECT_EXTENDED_LIMIT_INFORMATION);
SIZE(OUR_FileInformation, BY_HANDLE_FILE_INFORMATION);
PLACE(OUR_StartupInfo_Flags, STARTUPINFOW, dwFlags);
PLACE(OUR_StartupInfo_Input, STARTUPINFOW, hStdInput);
PLACE(OUR_BasicLimits_Flags, JOBOBJECT_BASIC_LIMIT_INFORMATION, LimitFlags);
PLACE(OUR_BasicLimits_ActiveProcesses, JOBOBJECT_BASIC_LIMIT_INFORMATION, ActiveProcessLimit);
PLACE(OUR_ExtendedLimits_ProcessMemory, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, ProcessMemoryLimit);
PLACE(OUR_ExtendedLimits_JobMemory, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobMemoryLimit);
PLACE(OUR_StartupInfoEx_Attributes, STARTUPINFOEXW, lpAttributeList);
PLACE(OUR_SecurityCapabilities_Count, SECURITY_CAPABILITIES, CapabilityCount);

_Static_assert(OUR_LimitActiveProcess == JOB_OBJECT_LIMIT_ACTIVE_PROCESS, "active process");
_Static_assert(OUR_LimitJobMemory == JOB_OBJECT_LIMIT_JOB_MEMORY, "job memory");
_Static_assert(OUR_LimitDieOnException == JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, "die");
_Static_assert(OUR_LimitKillOnClose == JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, "kill");
_Static_assert(OUR_ExtendedLimitInformation == JobObjectExtendedLimitInformation, "class");
_Static_assert(OUR_CreateSuspended == CREATE_SUSPENDED, "suspended");
_Static_assert(OUR_CreateUnicodeEnvironment == CREATE_UNICODE_ENVIRONMENT, "environment");
_Static_assert(OUR_ExtendedStartupInfo == EXTENDED_STARTUPINFO_PRESENT, "startup");
_Static_assert(OUR_CreateNoWindow == CREATE_NO_WINDOW, "window");
_Static_assert(OUR_UseStandardHandles == STARTF_USESTDHANDLES, "handles");
_Static_assert(OUR_AttributeHandleList == PROC_THREAD_ATTRIBUTE_HANDLE_LIST, "handle list");
_Static_assert(OUR_AttributeSecurityCapabilities == PROC_THREAD_ATTRIBUTE_SECURITY_CAPABILITIES, "capabilities");
_Static_assert(OUR_HandleInherit == HANDLE_FLAG_INHERIT, "inherit");
_Static_assert(OUR_DiscretionaryList == DACL_SECURITY_INFORMATION, "list");
