/** C#: Windows' files with their access lists, its containers and what the user's profile keeps. */

export const WINDOWS: string = String.raw`
  /// Files by handles that were opened without following a link and lie where the path says.
  public sealed class WindowsTree : ITree {
    const uint ReadControl = 0x20000, WriteList = 0x40000, ReadAttributes = 0x80;
    const uint ShareAll = 7, OpenExisting = 3, NoLink = 0x200000, Folders = 0x2000000;
    const uint Link = 0x400, Folder = 0x10;

    public string Spelled(string path) {
      StringBuilder full = new StringBuilder(32768);
      return Native.GetLongPathNameW(path, full, 32768) == 0 ? path : full.ToString();
    }

    public bool Exists(string path) { return File.Exists(path) || Directory.Exists(path); }

    public bool IsFolder(string path) { return Directory.Exists(path); }

    public IEnumerable<Child> Children(string folder) {
      List<Child> found = new List<Child>();
      try {
        foreach (FileSystemInfo one in new DirectoryInfo(folder).EnumerateFileSystemInfos()) {
          if ((one.Attributes & FileAttributes.ReparsePoint) != 0) continue;
          found.Add(new Child(one.FullName, (one.Attributes & FileAttributes.Directory) != 0));
        }
      } catch (IOException) {
        throw new Fault("moved", folder);
      } catch (UnauthorizedAccessException) {
        throw new Fault("access_refused", folder);
      }
      return found;
    }

    public byte[] Read(string path) {
      using (SafeFileHandle handle = Open(path, ReadControl | ReadAttributes)) {
        uint needed;
        byte[] bytes = new byte[0];
        Native.GetKernelObjectSecurity(handle, Native.DiscretionaryList, bytes, 0, out needed);
        bytes = new byte[needed];
        if (!Native.GetKernelObjectSecurity(handle, Native.DiscretionaryList, bytes, needed, out needed)) {
          throw new Fault("access_refused", path);
        }
        return bytes;
      }
    }

    public void Write(string path, byte[] descriptor) {
      using (SafeFileHandle handle = Open(path, WriteList | ReadControl | ReadAttributes)) {
        if (!Native.SetKernelObjectSecurity(handle, Native.DiscretionaryList, descriptor)) {
          throw new Fault("access_refused", path);
        }
      }
    }

    public void Make(string folder) { Directory.CreateDirectory(folder); }

    public void Delete(string folder) { Directory.Delete(folder, true); }

    // INVARIANT: a list is never changed through a link, nor where a folder above has become one: a command
    // that runs beside this one could have put it there to open what it leads to.
    static SafeFileHandle Open(string path, uint access) {
      SafeFileHandle handle = Native.CreateFileW(
        "\\\\?\\" + path, access, ShareAll, IntPtr.Zero, OpenExisting, NoLink | Folders, IntPtr.Zero);
      int error = Marshal.GetLastWin32Error();
      if (handle.IsInvalid) throw new Fault(error == 2 || error == 3 ? "moved" : "access_refused", path);
      Native.FileInformation facts;
      StringBuilder real = new StringBuilder(32768);
      bool isKnown = Native.GetFileInformationByHandle(handle, out facts)
        && Native.GetFinalPathNameByHandleW(handle, real, 32768, 0) != 0;
      string expected = "\\\\?\\" + path;
      if (isKnown && (facts.Attributes & Link) == 0
        && string.Equals(real.ToString(), expected, StringComparison.OrdinalIgnoreCase)) return handle;
      handle.Dispose();
      throw new Fault("moved", path);
    }
  }

  /// This machine and this user.
  public sealed class WindowsMachine : IMachine {
    readonly WindowsTree tree = new WindowsTree();
    readonly string state = Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData)
      + "\\sixgate\\appcontainer";

    public WindowsMachine() {
      Directory.CreateDirectory(state);
      state = tree.Spelled(state);
    }

    public ITree Tree { get { return tree; } }
    public string StateFolder { get { return state; } }
    public string SystemFolder { get { return Environment.SystemDirectory; } }

    public string Holder {
      get {
        using (Process own = Process.GetCurrentProcess()) return own.Id + ":" + Started(own);
      }
    }

    public bool IsAlive(string holder) {
      string[] parts = holder.Split(':');
      int id;
      if (parts.Length != 2 || !int.TryParse(parts[0], out id)) return false;
      try {
        using (Process process = Process.GetProcessById(id)) return Started(process) == parts[1];
      } catch (ArgumentException) {
        return false;
      } catch (InvalidOperationException) {
        return false;
      } catch (Win32Exception) {
        // An elevated broker of this user, perhaps: what may still be held is not taken back.
        return true;
      }
    }

    static string Started(Process process) {
      return process.StartTime.ToUniversalTime().Ticks.ToString(CultureInfo.InvariantCulture);
    }

    public string Profile(string name) {
      IntPtr sid;
      int result = Native.CreateAppContainerProfile(name, name, "A sixgate sandbox", IntPtr.Zero, 0, out sid);
      if (result == Native.AlreadyExists) {
        result = Native.DeriveAppContainerSidFromAppContainerName(name, out sid);
      }
      if (result != 0) throw new Fault("profile_refused", "0x" + result.ToString("X8", CultureInfo.InvariantCulture));
      try {
        return new SecurityIdentifier(sid).Value;
      } finally {
        Native.FreeSid(sid);
      }
    }

    public void Forget(string profile) { Native.DeleteAppContainerProfile(profile); }

    public string Find(Request request) {
      if (request.Program.IndexOf('\\') >= 0) {
        if (File.Exists(request.Program)) return request.Program;
        throw new Fault("program_missing", request.Program);
      }
      bool isWhole = request.Program.EndsWith(".exe", StringComparison.OrdinalIgnoreCase)
        || request.Program.EndsWith(".com", StringComparison.OrdinalIgnoreCase);
      foreach (string folder in SearchPath(request).Split(';')) {
        if (folder == "") continue;
        string file = folder.TrimEnd('\\') + "\\" + request.Program + (isWhole ? "" : ".exe");
        if (File.Exists(file)) return file;
      }
      throw new Fault("program_missing", request.Program);
    }

    static string WindowsFolder { get { return Path.GetDirectoryName(Environment.SystemDirectory); } }

    static string SearchPath(Request request) {
      string system = Environment.SystemDirectory + ";" + WindowsFolder;
      return request.SearchPath == "" ? system : request.SearchPath + ";" + system;
    }

    public IRun Start(Request request, string program, Lease lease) {
      return WindowsRun.Start(request, program, lease.Sid, Variables(request, lease.Scratch));
    }

    /// What the host passes on, the system's own folders, and a home that is gone afterwards.
    static string Variables(Request request, string home) {
      SortedDictionary<string, string> all =
        new SortedDictionary<string, string>(StringComparer.OrdinalIgnoreCase);
      foreach (string pair in request.Environment) {
        int at = pair.IndexOf('=', 1);
        if (at > 0) all[pair.Substring(0, at)] = pair.Substring(at + 1);
      }
      string system = Environment.SystemDirectory;
      string windows = WindowsFolder;
      all["SystemRoot"] = windows;
      all["windir"] = windows;
      all["SystemDrive"] = windows.Substring(0, 2);
      all["ComSpec"] = system + "\\cmd.exe";
      all["PATHEXT"] = ".COM;.EXE";
      all["PATH"] = SearchPath(request);
      foreach (string name in new[] { "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMP", "TEMP", "TMPDIR" }) {
        all[name] = home;
      }
      foreach (string name in new[] { "CACHE", "CONFIG", "DATA", "STATE" }) {
        all["XDG_" + name + "_HOME"] = home + "\\" + name.ToLowerInvariant();
      }
      StringBuilder block = new StringBuilder();
      foreach (KeyValuePair<string, string> one in all) {
        block.Append(one.Key).Append('=').Append(one.Value).Append('\0');
      }
      return block.Append('\0').ToString();
    }
  }
`
