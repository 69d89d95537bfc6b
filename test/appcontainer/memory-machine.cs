// A machine for the broker's tests: real files and processes, access lists in memory, and a judge that
// answers as Windows would: a container may do what the nearest list gives to it.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Security.AccessControl;
using System.Security.Principal;
using System.Text;
using System.Threading;

namespace Sixgate {
  // Names with backslashes are names of one folder here: the tree is their prefixes.
  public sealed class MemoryTree : ITree {
    public readonly SortedDictionary<string, byte[]> Lists =
      new SortedDictionary<string, byte[]>(StringComparer.OrdinalIgnoreCase);
    public readonly HashSet<string> Folders = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
    public readonly HashSet<string> Links = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
    public readonly HashSet<string> Closed = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
    public int WritesUntilCrash = int.MaxValue;

    public void Add(string path, bool isFolder) {
      string above = path.Substring(0, Math.Max(0, path.LastIndexOf('\\')));
      Lists[path] = Lists.ContainsKey(above) ? Inherit(Lists[above], isFolder) : Owner(isFolder);
      if (isFolder) Folders.Add(path);
    }

    public string Spelled(string path) { return path; }
    public bool Exists(string path) { Look(path); return Lists.ContainsKey(path); }
    public bool IsFolder(string path) { Look(path); return Folders.Contains(path); }
    public void Make(string folder) { Add(folder, true); }

    public void Delete(string folder) {
      foreach (string path in new List<string>(Lists.Keys)) {
        if (path == folder || path.StartsWith(folder + "\\", StringComparison.OrdinalIgnoreCase)) Lists.Remove(path);
      }
    }

    public IEnumerable<Child> Children(string folder) {
      List<Child> found = new List<Child>();
      foreach (string path in Lists.Keys) {
        bool isBelow = path.StartsWith(folder + "\\", StringComparison.OrdinalIgnoreCase);
        if (!isBelow || path.IndexOf('\\', folder.Length + 1) >= 0 || Links.Contains(path)) continue;
        found.Add(new Child(path, Folders.Contains(path)));
      }
      return found;
    }

    public byte[] Read(string path) {
      Look(path);
      if (Links.Contains(path) || !Lists.ContainsKey(path)) throw new Fault("moved", path);
      if (Closed.Contains(path)) throw new Fault("access_refused", path);
      return Lists[path];
    }

    public void Write(string path, byte[] descriptor) {
      if (WritesUntilCrash-- == 0) throw new CrashException();
      Read(path);
      Lists[path] = descriptor;
    }

    // Files that the self-test makes on the disk appear with what their folder passes down.
    void Look(string path) {
      if (!Lists.ContainsKey(path) && (File.Exists(path) || Directory.Exists(path))) Add(path, Directory.Exists(path));
    }

    // The rights that a container has at a path; a path that is not there has those of its folder.
    public int RightsOf(string sid, string path) {
      Look(path);
      while (!Lists.ContainsKey(path) && path.LastIndexOf('\\') > 0) path = path.Substring(0, path.LastIndexOf('\\'));
      if (!Lists.ContainsKey(path)) return 0;
      int rights = 0;
      foreach (GenericAce entry in new RawSecurityDescriptor(Lists[path], 0).DiscretionaryAcl) {
        CommonAce known = (CommonAce)entry;
        bool isTheirs = known.SecurityIdentifier.Value == sid || known.SecurityIdentifier.Value == "S-1-15-2-1";
        if (isTheirs && (known.AceFlags & AceFlags.InheritOnly) == 0) rights |= known.AccessMask;
      }
      return rights;
    }

    // As the kernel does when a file is made.
    static byte[] Inherit(byte[] above, bool isFolder) {
      RawAcl list = new RawAcl(2, 4);
      foreach (GenericAce given in new RawSecurityDescriptor(above, 0).DiscretionaryAcl) {
        if ((given.AceFlags & (isFolder ? AceFlags.ContainerInherit : AceFlags.ObjectInherit)) == 0) continue;
        GenericAce entry = given.Copy();
        entry.AceFlags = AceFlags.Inherited;
        if (isFolder) entry.AceFlags |= AceFlags.ObjectInherit | AceFlags.ContainerInherit;
        list.InsertAce(list.Count, entry);
      }
      return Bytes(list);
    }

    static byte[] Owner(bool isFolder) {
      RawAcl list = new RawAcl(2, 4);
      AceFlags flags = isFolder ? AceFlags.ObjectInherit | AceFlags.ContainerInherit : 0;
      list.InsertAce(0, new CommonAce(flags, AceQualifier.AccessAllowed, 0x1F01FF, new SecurityIdentifier("S-1-5-32-544"), false, null));
      return Bytes(list);
    }

    public static byte[] Bytes(RawAcl list) {
      ControlFlags flags = ControlFlags.SelfRelative | ControlFlags.DiscretionaryAclPresent;
      RawSecurityDescriptor made = new RawSecurityDescriptor(flags, null, null, null, list);
      byte[] bytes = new byte[made.BinaryLength];
      made.GetBinaryForm(bytes, 0);
      return bytes;
    }
  }

  // What a killed process looks like from inside: nothing after it happens.
  public sealed class CrashException : Exception { }

  public sealed class MemoryMachine : IMachine {
    public readonly MemoryTree Files = new MemoryTree();
    public readonly HashSet<string> Alive = new HashSet<string>();
    public readonly HashSet<string> Profiles = new HashSet<string>();
    public string Name = "1:1";
    public string Leak = "";
    readonly string state;

    public MemoryMachine(string state) {
      this.state = state;
      Files.Add(state, true);
    }

    public ITree Tree { get { return Files; } }
    public string StateFolder { get { return state; } }
    public string Holder { get { return Name; } }
    public string SystemFolder { get { return "C:\\Windows\\System32"; } }
    public bool IsAlive(string holder) { return Alive.Contains(holder); }
    public void Forget(string profile) { Profiles.Remove(profile); }

    public string Profile(string name) {
      Profiles.Add(name);
      uint number = 0;
      foreach (char one in name) number = unchecked(number * 31 + one);
      return "S-1-15-2-" + number + "-1-2-3-4-5-6";
    }

    public string Find(Request request) {
      if (request.Program == "missing.exe") throw new Fault("program_missing", request.Program);
      return request.Program;
    }

    public IRun Start(Request request, string program, Lease lease) {
      List<string> words = Words(request.CommandLine);
      if (program.EndsWith("curl.exe") || program.EndsWith("icacls.exe")) {
        return new Acted(Act(words, lease.Sid));
      }
      return new ShellRun(words[words.Count - 1], request);
    }

    // curl and icacls as far as the self-test uses them, under the judge.
    string Act(List<string> words, string sid) {
      if (words[0].EndsWith("icacls.exe")) {
        if (Leak == "list") Files.Lists[words[1]] = Files.Lists[words[1].Substring(0, words[1].LastIndexOf('\\'))];
        return "";
      }
      string url = words[words.Count - 1];
      if (url.StartsWith("http:")) {
        if (Leak == "network") new System.Net.Sockets.TcpClient().Connect("127.0.0.1", new Uri(url).Port);
        return "";
      }
      // On this system a URL turns backslashes into slashes.
      string from = Uri.UnescapeDataString(url.Substring("file://".Length));
      from = state + from.Substring(state.Length).Replace('/', '\\');
      bool isLeaking = Leak == "read" && from.Contains("outside") || Leak == "mask" && from.Contains("masked");
      if (!isLeaking && (Files.RightsOf(sid, from) & 1) == 0) return "";
      int at = words.IndexOf("-o");
      if (at < 0) return File.ReadAllText(from);
      bool isOpen = Leak == "write" && words[at + 1].Contains("outside") || Leak == "fixed" && words[at + 1].Contains("fixed");
      if (Leak == "all" || isOpen || (Files.RightsOf(sid, words[at + 1]) & 2) != 0) {
        if (Leak != "twin") File.Copy(from, words[at + 1], true);
      }
      return "";
    }

    static List<string> Words(string line) {
      List<string> words = new List<string>();
      StringBuilder word = new StringBuilder();
      bool isQuoted = false, isAny = false;
      for (int at = 0; at < line.Length; at++) {
        int slashes = 0;
        while (at < line.Length && line[at] == '\\') { slashes++; at++; }
        bool isBefore = at < line.Length && line[at] == '"';
        word.Append('\\', isBefore && words.Count > 0 ? slashes / 2 : slashes);
        if (at >= line.Length) break;
        if (isBefore && words.Count > 0 && slashes % 2 == 1) word.Append('"');
        else if (line[at] == '"') { isQuoted = !isQuoted; isAny = true; }
        else if (line[at] == ' ' && !isQuoted) {
          if (isAny || word.Length > 0) words.Add(word.ToString());
          word.Length = 0;
          isAny = false;
        } else word.Append(line[at]);
      }
      if (isAny || word.Length > 0) words.Add(word.ToString());
      return words;
    }
  }

  // A program that has run and said what it had to say.
  sealed class Acted : IRun {
    readonly Stream said;
    public Acted(string text) { said = new MemoryStream(Encoding.UTF8.GetBytes(text)); }
    public uint Id { get { return 1; } }
    public Stream Input { get { return Stream.Null; } }
    public Stream Output { get { return said; } }
    public Stream Errors { get { return Stream.Null; } }
    public void Resume() { }
    public uint Wait() { return 0; }
    public void Kill() { }
    public void Close() { }
  }

  // A real shell that stops itself before its text, and is killed with its group.
  sealed class ShellRun : IRun {
    readonly Process process;
    public ShellRun(string text, Request request) {
      ProcessStartInfo info = new ProcessStartInfo("/usr/bin/setsid");
      info.Arguments = "/bin/sh -c \"kill -STOP $$; eval \\\"$TEXT\\\"\"";
      info.UseShellExecute = false;
      info.RedirectStandardInput = info.RedirectStandardOutput = info.RedirectStandardError = true;
      info.EnvironmentVariables.Clear();
      info.EnvironmentVariables["PATH"] = "/usr/bin:/bin";
      foreach (string pair in request.Environment) {
        info.EnvironmentVariables[pair.Substring(0, pair.IndexOf('='))] = pair.Substring(pair.IndexOf('=') + 1);
      }
      info.EnvironmentVariables["TEXT"] = text;
      process = Process.Start(info);
    }
    public uint Id { get { return (uint)process.Id; } }
    public Stream Input { get { return process.StandardInput.BaseStream; } }
    public Stream Output { get { return process.StandardOutput.BaseStream; } }
    public Stream Errors { get { return process.StandardError.BaseStream; } }
    public void Resume() {
      while (!process.HasExited && !File.ReadAllText("/proc/" + process.Id + "/stat").Contains(") T ")) Thread.Sleep(2);
      Signal("-CONT");
    }
    public uint Wait() { process.WaitForExit(); return (uint)process.ExitCode; }
    public void Kill() { Signal("-KILL"); }
    public void Close() { }
    void Signal(string name) {
      ProcessStartInfo info = new ProcessStartInfo("/bin/sh", "-c \"kill " + name + " -" + process.Id + "\"");
      info.UseShellExecute = false;
      info.RedirectStandardError = true;
      Process.Start(info).WaitForExit();
    }
  }
}
