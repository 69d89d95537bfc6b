/** C#: the calls of Windows that the broker makes, with their structures as 64-bit Windows lays them out. */

export const NATIVE: string = String.raw`
  static class Native {
    [StructLayout(LayoutKind.Sequential)]
    internal struct SecurityAttributes {
      public uint Length;
      public IntPtr Descriptor;
      public int IsInherited;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct SecurityCapabilities {
      public IntPtr Container;
      public IntPtr Capabilities;
      public uint Count;
      public uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct StartupInfo {
      public uint Length;
      public IntPtr Reserved;
      public IntPtr Desktop;
      public IntPtr Title;
      public uint X, Y, Width, Height, Columns, Rows, Fill, Flags;
      public ushort Show;
      public ushort ReservedLength;
      public IntPtr ReservedBytes;
      public IntPtr Input, Output, Error;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct StartupInfoEx {
      public StartupInfo Plain;
      public IntPtr Attributes;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct ProcessInformation {
      public IntPtr Process, Thread;
      public uint ProcessId, ThreadId;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct BasicLimits {
      public long ProcessTime, JobTime;
      public uint Flags;
      public UIntPtr LeastWorkingSet, MostWorkingSet;
      public uint ActiveProcesses;
      public UIntPtr Affinity;
      public uint Priority, Scheduling;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct IoCounters {
      public ulong Reads, Writes, Others, ReadBytes, WrittenBytes, OtherBytes;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct ExtendedLimits {
      public BasicLimits Basic;
      public IoCounters Io;
      public UIntPtr ProcessMemory, JobMemory, PeakProcessMemory, PeakJobMemory;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct FileInformation {
      public uint Attributes;
      public uint CreatedLow, CreatedHigh, ReadLow, ReadHigh, WrittenLow, WrittenHigh;
      public uint Volume, SizeHigh, SizeLow, Links, IndexHigh, IndexLow;
    }

    internal const uint LimitActiveProcess = 0x8;
    internal const uint LimitJobMemory = 0x200;
    internal const uint LimitDieOnException = 0x400;
    internal const uint LimitKillOnClose = 0x2000;
    internal const int ExtendedLimitInformation = 9;
    internal const uint CreateSuspended = 0x4;
    internal const uint CreateUnicodeEnvironment = 0x400;
    internal const uint ExtendedStartupInfo = 0x80000;
    internal const uint CreateNoWindow = 0x8000000;
    internal const uint UseStandardHandles = 0x100;
    internal const int AttributeHandleList = 0x20002;
    internal const int AttributeSecurityCapabilities = 0x20009;
    internal const uint HandleInherit = 0x1;
    internal const uint DiscretionaryList = 0x4;
    internal const int AlreadyExists = unchecked((int)0x800700B7);

    const string Kernel = "kernel32.dll";
    const string Security = "advapi32.dll";
    const string User = "userenv.dll";

    [DllImport(User, CharSet = CharSet.Unicode, ExactSpelling = true)]
    internal static extern int CreateAppContainerProfile(
      string name, string display, string description, IntPtr capabilities, uint count, out IntPtr sid);

    [DllImport(User, CharSet = CharSet.Unicode, ExactSpelling = true)]
    internal static extern int DeriveAppContainerSidFromAppContainerName(string name, out IntPtr sid);

    [DllImport(User, CharSet = CharSet.Unicode, ExactSpelling = true)]
    internal static extern int DeleteAppContainerProfile(string name);

    [DllImport(Security, ExactSpelling = true)]
    internal static extern IntPtr FreeSid(IntPtr sid);

    [DllImport(Security, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern bool ConvertStringSidToSidW(string text, out IntPtr sid);

    [DllImport(Security, ExactSpelling = true, SetLastError = true)]
    internal static extern bool GetKernelObjectSecurity(
      SafeFileHandle handle, uint which, byte[] descriptor, uint length, out uint needed);

    [DllImport(Security, ExactSpelling = true, SetLastError = true)]
    internal static extern bool SetKernelObjectSecurity(SafeFileHandle handle, uint which, byte[] descriptor);

    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern SafeFileHandle CreateFileW(
      string path, uint access, uint share, IntPtr security, uint how, uint flags, IntPtr template);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool GetFileInformationByHandle(SafeFileHandle handle, out FileInformation facts);

    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern uint GetFinalPathNameByHandleW(
      SafeFileHandle handle, StringBuilder path, uint length, uint flags);

    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern uint GetLongPathNameW(string path, StringBuilder full, uint length);

    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern IntPtr CreateJobObjectW(IntPtr security, string name);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool SetInformationJobObject(
      IntPtr job, int which, ref ExtendedLimits limits, uint length);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool TerminateJobObject(IntPtr job, uint code);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool TerminateProcess(IntPtr process, uint code);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool InitializeProcThreadAttributeList(
      IntPtr list, uint count, uint flags, ref UIntPtr size);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool UpdateProcThreadAttribute(
      IntPtr list, uint flags, UIntPtr which, IntPtr value, UIntPtr size, IntPtr previous, IntPtr returned);

    [DllImport(Kernel, ExactSpelling = true)]
    internal static extern void DeleteProcThreadAttributeList(IntPtr list);

    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true, SetLastError = true)]
    internal static extern bool CreateProcessW(
      string program, StringBuilder commandLine, IntPtr process, IntPtr thread, bool isInheriting,
      uint flags, IntPtr environment, string folder, ref StartupInfoEx startup, out ProcessInformation made);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern uint ResumeThread(IntPtr thread);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern uint WaitForSingleObject(IntPtr handle, uint milliseconds);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool GetExitCodeProcess(IntPtr process, out uint code);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool CreatePipe(
      out IntPtr read, out IntPtr write, ref SecurityAttributes security, uint size);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool SetHandleInformation(IntPtr handle, uint mask, uint flags);

    [DllImport(Kernel, ExactSpelling = true, SetLastError = true)]
    internal static extern bool CloseHandle(IntPtr handle);

    [DllImport(Kernel, ExactSpelling = true)]
    internal static extern IntPtr LocalFree(IntPtr memory);
  }
`
