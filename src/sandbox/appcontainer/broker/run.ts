/** C#: one process in a container and a job: started suspended, assigned, then resumed (sandbox.md §6). */

export const RUN: string = String.raw`
  public sealed class WindowsRun : IRun {
    readonly object gate = new object();
    IntPtr job, process, thread;
    uint id;
    public Stream Input { get; private set; }
    public Stream Output { get; private set; }
    public Stream Errors { get; private set; }
    public uint Id { get { return id; } }

    WindowsRun() { }

    public static WindowsRun Start(Request request, string program, string sid, string variables) {
      WindowsRun run = new WindowsRun();
      List<IntPtr> theirs = new List<IntPtr>();
      try {
        run.MakeJob(request);
        run.Input = new FileStream(Pipe(theirs, true), FileAccess.Write, 1);
        run.Output = new FileStream(Pipe(theirs, false), FileAccess.Read, 1);
        run.Errors = new FileStream(Pipe(theirs, false), FileAccess.Read, 1);
        run.MakeProcess(request, program, sid, variables, theirs.ToArray());
        if (!Native.AssignProcessToJobObject(run.job, run.process)) {
          // Outside of the job it is not killed with it: it never runs.
          Native.TerminateProcess(run.process, 1);
          throw Refused("job_refused");
        }
        return run;
      } catch {
        run.Close();
        throw;
      } finally {
        foreach (IntPtr handle in theirs) Native.CloseHandle(handle);
      }
    }

    public void Resume() {
      if (Native.ResumeThread(thread) == uint.MaxValue) throw Refused("start_refused");
    }

    public uint Wait() {
      uint code;
      Native.WaitForSingleObject(process, uint.MaxValue);
      if (!Native.GetExitCodeProcess(process, out code)) throw Refused("start_refused");
      return code;
    }

    public void Kill() {
      lock (gate) if (job != IntPtr.Zero) Native.TerminateJobObject(job, 1);
    }

    public void Close() {
      lock (gate) {
        foreach (IntPtr handle in new[] { thread, process, job }) if (handle != IntPtr.Zero) Native.CloseHandle(handle);
        thread = process = job = IntPtr.Zero;
      }
      foreach (Stream stream in new[] { Input, Output, Errors }) {
        try {
          if (stream != null) stream.Dispose();
        } catch (IOException) {
          // The other end has gone with the process.
        }
      }
    }

    void MakeJob(Request request) {
      job = Native.CreateJobObjectW(IntPtr.Zero, null);
      Native.ExtendedLimits limits = new Native.ExtendedLimits();
      limits.Basic.Flags = Native.LimitKillOnClose | Native.LimitDieOnException;
      if (request.Processes > 0) {
        limits.Basic.Flags |= Native.LimitActiveProcess;
        limits.Basic.ActiveProcesses = request.Processes;
      }
      if (request.Memory > 0) {
        limits.Basic.Flags |= Native.LimitJobMemory;
        limits.JobMemory = new UIntPtr(request.Memory);
      }
      uint size = (uint)Marshal.SizeOf(typeof(Native.ExtendedLimits));
      bool isLimited = job != IntPtr.Zero
        && Native.SetInformationJobObject(job, Native.ExtendedLimitInformation, ref limits, size);
      if (!isLimited) throw Refused("job_refused");
    }

    /// Gives our end; theirs is inherited, by the list and by nothing else.
    static SafeFileHandle Pipe(List<IntPtr> theirs, bool isInput) {
      Native.SecurityAttributes inherited = new Native.SecurityAttributes();
      inherited.Length = (uint)Marshal.SizeOf(typeof(Native.SecurityAttributes));
      inherited.IsInherited = 1;
      IntPtr read, write;
      if (!Native.CreatePipe(out read, out write, ref inherited, 0)) throw Refused("start_refused");
      theirs.Add(isInput ? read : write);
      SafeFileHandle ours = new SafeFileHandle(isInput ? write : read, true);
      if (Native.SetHandleInformation(ours.DangerousGetHandle(), Native.HandleInherit, 0)) return ours;
      ours.Dispose();
      throw Refused("start_refused");
    }

    void MakeProcess(Request request, string program, string sid, string variables, IntPtr[] handles) {
      IntPtr container = IntPtr.Zero, list = IntPtr.Zero, block = IntPtr.Zero;
      Native.SecurityCapabilities none = new Native.SecurityCapabilities();
      int noneSize = Marshal.SizeOf(typeof(Native.SecurityCapabilities));
      IntPtr capabilities = Marshal.AllocHGlobal(noneSize);
      IntPtr handleList = Marshal.AllocHGlobal(IntPtr.Size * handles.Length);
      try {
        if (!Native.ConvertStringSidToSidW(sid, out container)) throw Refused("profile_refused");
        none.Container = container;
        Marshal.StructureToPtr(none, capabilities, false);
        Marshal.Copy(handles, 0, handleList, handles.Length);
        list = Attributes();
        Set(list, Native.AttributeSecurityCapabilities, capabilities, noneSize);
        Set(list, Native.AttributeHandleList, handleList, IntPtr.Size * handles.Length);
        block = Marshal.StringToHGlobalUni(variables);
        Create(request, program, list, block, handles);
      } finally {
        if (list != IntPtr.Zero) Native.DeleteProcThreadAttributeList(list);
        if (container != IntPtr.Zero) Native.LocalFree(container);
        foreach (IntPtr memory in new[] { capabilities, handleList, list, block }) Marshal.FreeHGlobal(memory);
      }
    }

    void Create(Request request, string program, IntPtr list, IntPtr block, IntPtr[] handles) {
      Native.StartupInfoEx startup = new Native.StartupInfoEx();
      startup.Plain.Length = (uint)Marshal.SizeOf(typeof(Native.StartupInfoEx));
      startup.Plain.Flags = Native.UseStandardHandles;
      startup.Plain.Input = handles[0];
      startup.Plain.Output = handles[1];
      startup.Plain.Error = handles[2];
      startup.Attributes = list;
      uint flags = Native.CreateSuspended | Native.CreateUnicodeEnvironment
        | Native.ExtendedStartupInfo | Native.CreateNoWindow;
      Native.ProcessInformation made;
      // The program by its full path: nothing is looked up, and no command interpreter stands in between.
      if (!Native.CreateProcessW(program, new StringBuilder(request.CommandLine), IntPtr.Zero, IntPtr.Zero,
        true, flags, block, request.Folder, ref startup, out made)) throw Refused("start_refused");
      process = made.Process;
      thread = made.Thread;
      id = made.ProcessId;
    }

    static IntPtr Attributes() {
      UIntPtr size = UIntPtr.Zero;
      Native.InitializeProcThreadAttributeList(IntPtr.Zero, 2, 0, ref size);
      IntPtr list = Marshal.AllocHGlobal(new IntPtr((long)size.ToUInt64()));
      if (Native.InitializeProcThreadAttributeList(list, 2, 0, ref size)) return list;
      Marshal.FreeHGlobal(list);
      throw Refused("start_refused");
    }

    static void Set(IntPtr list, int which, IntPtr value, int size) {
      bool isSet = Native.UpdateProcThreadAttribute(
        list, 0, new UIntPtr((uint)which), value, new UIntPtr((uint)size), IntPtr.Zero, IntPtr.Zero);
      if (!isSet) throw Refused("start_refused");
    }

    static Fault Refused(string name) {
      return new Fault(name, "error " + Marshal.GetLastWin32Error());
    }
  }
`
