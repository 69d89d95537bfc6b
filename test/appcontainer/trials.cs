// Trials of the broker on this machine; each writes what it saw, the tests say what is right.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

namespace Sixgate {
  static class Trials {
    static MemoryMachine machine;
    static readonly List<string> Paths = new List<string>();

    static int Main(string[] words) {
      switch (words[0]) {
        case "sizes": Sizes(); return 0;
        case "serve":
          machine = new MemoryMachine(words[1]);
          machine.Leak = words[2];
          machine.Files.Add("C:\\ws", true);
          return Broker.Serve(new Wire(Console.OpenStandardInput(), Console.OpenStandardOutput()), machine);
        case "random": Random(words[1], int.Parse(words[2])); return 0;
        case "lists": machine = new MemoryMachine(words[1]); Lists(words[2]); return 0;
        default: return 2;
      }
    }

    static void Sizes() {
      foreach (Type type in typeof(Native).GetNestedTypes(System.Reflection.BindingFlags.NonPublic)) {
        if (type.IsValueType) Console.WriteLine(type.Name + " " + Marshal.SizeOf(type));
      }
      foreach (string field in new[] { "Flags", "Input" }) Offset(typeof(Native.StartupInfo), field);
      foreach (string field in new[] { "Flags", "ActiveProcesses" }) Offset(typeof(Native.BasicLimits), field);
      foreach (string field in new[] { "ProcessMemory", "JobMemory" }) Offset(typeof(Native.ExtendedLimits), field);
      Offset(typeof(Native.StartupInfoEx), "Attributes");
      Offset(typeof(Native.SecurityCapabilities), "Count");
    }

    static void Offset(Type type, string field) {
      Console.WriteLine(type.Name + "." + field + " " + Marshal.OffsetOf(type, field));
    }

    static void Lists(string trial) {
      foreach (string path in new[] {
        "C:\\ws/", "C:\\ws\\a.txt", "C:\\ws\\.env", "C:\\ws\\.git/", "C:\\ws\\.git\\config", "C:\\ws\\.git\\hooks/",
        "C:\\ws\\.git\\hooks\\x", "C:\\ws\\sub/", "C:\\ws\\sub\\b.txt", "C:\\ws\\sub\\.git/", "C:\\ws\\link/",
        "C:\\ws\\link\\theirs", "C:\\out/", "C:\\out\\c.txt", "C:\\tools/", "C:\\tools\\t.exe",
      }) {
        string name = path.TrimEnd('/');
        machine.Files.Add(name, path.EndsWith("/"));
        Paths.Add(name);
      }
      machine.Files.Links.Add("C:\\ws\\link");
      machine.Alive.Add("1:1");
      machine.Alive.Add("2:2");
      string before = Everything();
      switch (trial) {
        case "one": One(before); return;
        case "two": Two(before); return;
        case "crash": Crash(before); return;
        case "nested": Nested(before); return;
        case "everybody": Everybody(); return;
        case "refused": Refused(before); return;
        default: Journal(before, trial); return;
      }
    }

    static Want[] Wants() {
      return new[] {
        new Want("C:\\ws", "write"), new Want("C:\\tools", "read"), new Want("C:\\ws\\.git", "fixed"),
        new Want("C:\\ws\\sub\\.git", "fixed"), new Want("C:\\ws\\sub", "pinned"), new Want("C:\\ws\\.env", "none"),
        new Want("C:\\ws\\absent", "hidden"),
      };
    }

    static void One(string before) {
      using (Lease lease = new Lease(machine, Wants())) {
        Show(lease.Sid);
        string made = "C:\\ws\\sub\\new.txt";
        machine.Files.Add(made, false);
        Console.WriteLine(made + " " + Word(machine.Files.RightsOf(lease.Sid, made)));
        Console.WriteLine("scratch " + Word(machine.Files.RightsOf(lease.Sid, lease.Scratch)));
        machine.Files.Lists.Remove(made);
      }
      End(before);
    }

    static void Two(string before) {
      Lease first = new Lease(machine, Wants());
      machine.Name = "2:2";
      Lease second = new Lease(machine, Wants());
      machine.Name = "1:1";
      first.Dispose();
      Console.WriteLine("the second keeps");
      Show(second.Sid);
      machine.Name = "2:2";
      second.Dispose();
      End(before);
    }

    // For every write after which the broker could die.
    static void Crash(string before) {
      for (int writes = 0; ; writes++) {
        machine.Name = "1:1";
        machine.Files.WritesUntilCrash = writes;
        bool isWhole = false;
        try {
          Lease lease = new Lease(machine, Wants());
          lease.Dispose();
          isWhole = true;
        } catch (CrashException) {
        }
        machine.Files.WritesUntilCrash = int.MaxValue;
        machine.Alive.Remove("1:1");
        machine.Name = "2:2";
        Lease.Recover(machine);
        if (Everything() != before) Console.WriteLine("not as before, dead after " + writes);
        machine.Alive.Add("1:1");
        if (!isWhole) continue;
        Console.WriteLine(writes > 10 ? "every crash was mended" : "too few crashes");
        End(before);
        return;
      }
    }

    static void Nested(string before) {
      Lease outer = new Lease(machine, new[] { new Want("C:\\ws", "write"), new Want("C:\\ws\\sub\\.git", "fixed") });
      machine.Name = "2:2";
      Lease inner = new Lease(machine, new[] { new Want("C:\\ws\\sub", "write"), new Want("C:\\ws\\sub\\.git", "none") });
      Console.WriteLine("outer " + Word(machine.Files.RightsOf(outer.Sid, "C:\\ws\\sub\\b.txt"))
        + " " + Word(machine.Files.RightsOf(outer.Sid, "C:\\ws\\sub\\.git")));
      Console.WriteLine("inner " + Word(machine.Files.RightsOf(inner.Sid, "C:\\ws\\sub\\b.txt"))
        + " " + Word(machine.Files.RightsOf(inner.Sid, "C:\\ws\\sub\\.git"))
        + " " + Word(machine.Files.RightsOf(inner.Sid, "C:\\ws\\a.txt")));
      machine.Name = "1:1";
      outer.Dispose();
      Console.WriteLine("outer gone " + Word(machine.Files.RightsOf(outer.Sid, "C:\\ws\\sub\\b.txt"))
        + " inner " + Word(machine.Files.RightsOf(inner.Sid, "C:\\ws\\sub\\.git")));
      machine.Name = "2:2";
      inner.Dispose();
      End(before);
    }

    // An entry for all packages would open what is sealed.
    static void Everybody() {
      foreach (string path in Paths) {
        var list = new System.Security.AccessControl.RawSecurityDescriptor(machine.Files.Lists[path], 0).DiscretionaryAcl;
        list.InsertAce(0, new System.Security.AccessControl.CommonAce(0,
          System.Security.AccessControl.AceQualifier.AccessAllowed, 0x1F01FF,
          new System.Security.Principal.SecurityIdentifier("S-1-15-2-1"), false, null));
        machine.Files.Lists[path] = MemoryTree.Bytes(list);
      }
      string before = Everything();
      using (Lease lease = new Lease(machine, Wants())) {
        foreach (string path in new[] { "C:\\ws\\.env", "C:\\ws\\.git" }) {
          Console.WriteLine(path + " " + Word(machine.Files.RightsOf(lease.Sid, path)));
        }
      }
      End(before);
    }

    static void Refused(string before) {
      foreach (Want[] wants in new[] {
        new[] { new Want("C:\\ws", "write"), new Want("C:\\ws\\gone", "fixed") },
        new[] { new Want("C:\\ws", "write"), new Want("C:\\ws\\link", "fixed") },
      }) {
        try {
          new Lease(machine, wants);
          Console.WriteLine("given");
        } catch (Fault fault) {
          Console.WriteLine(fault.Name + " " + fault.Message);
        }
      }
      machine.Files.Closed.Add("C:\\ws");
      try {
        new Lease(machine, Wants());
      } catch (Fault fault) {
        Console.WriteLine(fault.Name + " " + fault.Message);
      }
      machine.Files.Closed.Clear();
      End(before);
    }

    static void Journal(string before, string text) {
      File.WriteAllText(Path.Combine(machine.StateFolder, "journal"), text);
      try {
        new Lease(machine, Wants());
        Console.WriteLine("given");
      } catch (Fault fault) {
        Console.WriteLine(fault.Name);
      }
      Console.WriteLine(Everything() == before ? "as before" : "changed");
    }

    // Two commands over random roots and seals: what the judge reads from the lists is what was wished.
    static void Random(string state, int cases) {
      Random dice = new Random(20261130);
      int together = 0;
      for (int one = 0; one < cases; one++) {
        machine = new MemoryMachine(state);
        machine.Alive.Add("1:1");
        machine.Alive.Add("2:2");
        Paths.Clear();
        Grow(dice, "C:\\r", 3);
        string before = Everything();
        Want[] first = Wishes(dice), second = Wishes(dice);
        machine.Name = "1:1";
        Lease mine = new Lease(machine, first);
        machine.Name = "2:2";
        Lease other = new Lease(machine, second);
        if (mine.Sid == other.Sid) first = second = Both(first, second);
        else together++;
        Compare(one, mine.Sid, first);
        Compare(one, other.Sid, second);
        bool isMine = dice.Next(2) == 0;
        machine.Name = isMine ? "1:1" : "2:2";
        (isMine ? mine : other).Dispose();
        if (mine.Sid != other.Sid) {
          Compare(one, isMine ? other.Sid : mine.Sid, isMine ? second : first);
          Compare(one, isMine ? mine.Sid : other.Sid, new Want[0]);
        }
        machine.Name = isMine ? "2:2" : "1:1";
        (isMine ? other : mine).Dispose();
        if (Everything() != before) Console.WriteLine(one + " is not as before");
        if (machine.Profiles.Count > 0) Console.WriteLine(one + " keeps a profile");
      }
      Console.WriteLine(together > cases / 2 ? "compared" : "too few cases");
    }

    static void Grow(Random dice, string path, int depth) {
      machine.Files.Add(path, depth > 0);
      Paths.Add(path);
      if (depth == 0) return;
      foreach (string name in new[] { "a", "b", "c" }) {
        if (dice.Next(3) > 0) Grow(dice, path + "\\" + name, dice.Next(4) == 0 ? 0 : depth - 1);
      }
    }

    static Want[] Wishes(Random dice) {
      List<Want> wishes = new List<Want>();
      string[] roots = { "write", "read" }, seals = { "none", "fixed", "pinned", "hidden" };
      for (int left = 1 + dice.Next(2); left > 0; left--) wishes.Add(new Want(Any(dice), roots[dice.Next(2)]));
      for (int left = dice.Next(5); left > 0; left--) wishes.Add(new Want(Any(dice), seals[dice.Next(4)]));
      return wishes.ToArray();
    }

    static string Any(Random dice) { return Paths[dice.Next(Paths.Count)]; }

    static Want[] Both(Want[] one, Want[] other) {
      List<Want> all = new List<Want>(one);
      all.AddRange(other);
      return all.ToArray();
    }

    static void Compare(int one, string sid, Want[] wishes) {
      foreach (string path in Paths) {
        string read = Word(machine.Files.RightsOf(sid, path)), wished = Wished(path, wishes);
        if (read != wished) Console.WriteLine(one + " " + path + ": " + read + ", wished " + wished);
      }
    }

    // The nearest wish at a path or above it decides; of several at one path the strictest.
    static string Wished(string path, Want[] wishes) {
      for (string at = path; at.Length > 2; at = at.Substring(0, at.LastIndexOf('\\'))) {
        foreach (string level in new[] { "none", "hidden", "fixed", "pinned", "read", "write" }) {
          if (!Array.Exists(wishes, wish => wish.Path == at && wish.Level == level)) continue;
          if (level == "none" || level == "hidden") return "nothing";
          if (level == "fixed" || level == "read") return "read";
          return at == path ? "read+write" : "read+write+delete";
        }
      }
      return "nothing";
    }

    static void Show(string sid) {
      foreach (string path in Paths) Console.WriteLine(path + " " + Word(machine.Files.RightsOf(sid, path)));
    }

    static void End(string before) {
      Console.WriteLine(Everything() == before ? "as before" : "changed");
      Console.WriteLine("profiles " + machine.Profiles.Count);
      Console.WriteLine("noted " + (File.ReadAllLines(Path.Combine(machine.StateFolder, "journal")).Length - 1));
    }

    static string Word(int rights) {
      string word = "";
      if ((rights & 0x1) != 0) word += "read";
      if ((rights & 0x2) != 0) word += "+write";
      if ((rights & 0x10000) != 0) word += "+delete";
      if ((rights & 0xC0040) != 0) word += "+own";
      return word == "" ? "nothing" : word;
    }

    static string Everything() {
      List<string> all = new List<string>();
      foreach (KeyValuePair<string, byte[]> one in machine.Files.Lists) all.Add(one.Key + " " + Convert.ToBase64String(one.Value));
      return string.Join("\n", all.ToArray());
    }
  }
}
