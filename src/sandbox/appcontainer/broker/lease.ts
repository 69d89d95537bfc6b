/** C#: gives a container its paths for one command, and takes them back when the last command ends. */

export const LEASE: string = String.raw`
  /// What a lease needs of the machine.
  public interface IHost {
    ITree Tree { get; }
    string StateFolder { get; }
    /// This process, by a text that no later process repeats.
    string Holder { get; }
    bool IsAlive(string holder);
    /// Makes the profile without capabilities, or finds it; gives its identity.
    string Profile(string name);
    void Forget(string profile);
  }

  /// The paths of one command while it runs.
  public sealed class Lease : IDisposable {
    readonly IHost host;
    public readonly string Sid;
    public readonly string Scratch;

    /// Brings back what crashed brokers left, then notes and gives what this command wants.
    public Lease(IHost host, IEnumerable<Want> wants) {
      this.host = host;
      Scratch = host.StateFolder + "\\scratch-" + Guid.NewGuid().ToString("N");
      List<Want> all = new List<Want>();
      foreach (Want want in wants) all.Add(new Want(host.Tree.Spelled(want.Path), want.Level));
      string profile = NameOf(all);
      using (Journal journal = new Journal(host.StateFolder)) {
        Recover(journal);
        Sid = host.Profile(profile);
        host.Tree.Make(Scratch);
        all.Insert(0, new Want(Scratch, "scratch"));
        try {
          List<Entry> changed = Note(journal, profile, all);
          // INVARIANT: the journal knows every list before it is changed.
          journal.Save();
          // What is kept out comes first: nothing may run through a door that is still to be closed.
          foreach (Entry entry in changed) if (entry.IsSealed) Apply(journal, entry, Sid, true);
          foreach (Entry entry in changed) if (!entry.IsSealed) Apply(journal, entry, Sid, true);
        } catch {
          Release(journal, holder => holder != host.Holder);
          throw;
        }
      }
    }

    public void Dispose() {
      using (Journal journal = new Journal(host.StateFolder)) {
        Release(journal, holder => holder != host.Holder);
      }
    }

    /// Takes back what processes hold that have ended.
    public static void Recover(IHost host) {
      using (Journal journal = new Journal(host.StateFolder)) new Lease(host).Recover(journal);
    }

    Lease(IHost host) { this.host = host; Sid = ""; Scratch = ""; }

    void Recover(Journal journal) { Release(journal, host.IsAlive); }

    /// One container for the same roots: what one workspace opened, a command in another cannot use.
    static string NameOf(List<Want> wants) {
      List<string> roots = new List<string>();
      foreach (Want want in wants) {
        if (want.Level == "write" || want.Level == "read") {
          roots.Add(want.Level + " " + want.Path.ToUpperInvariant());
        }
      }
      roots.Sort(StringComparer.Ordinal);
      using (SHA256 hash = SHA256.Create()) {
        byte[] bytes = hash.ComputeHash(Encoding.UTF8.GetBytes(string.Join("\0", roots.ToArray())));
        return "sixgate." + BitConverter.ToString(bytes, 0, 16).Replace("-", "").ToLowerInvariant();
      }
    }

    List<Entry> Note(Journal journal, string profile, List<Want> wants) {
      List<Entry> changed = new List<Entry>();
      foreach (Want want in wants) {
        bool isHidden = want.Level == "hidden";
        if (!host.Tree.Exists(want.Path)) {
          // A secret that is not there needs no cover; everything else was seen a moment ago.
          if (isHidden) continue;
          throw new Fault("moved", want.Path);
        }
        string level = isHidden ? "none" : want.Level;
        Entry entry = journal.Find(want.Path);
        if (entry == null) {
          byte[] now = host.Tree.Read(want.Path);
          byte[] own = Access.Own(now, host.Tree.IsFolder(want.Path), journal.Sids());
          entry = new Entry { Path = want.Path, Before = own };
          journal.Add(entry);
        }
        Mark mark = entry.Of(Sid);
        if (mark == null) {
          mark = new Mark { Sid = Sid, Profile = profile, Level = level };
          entry.Marks.Add(mark);
        }
        // Even a mark that stands is applied again: files may have been moved in meanwhile.
        if (!changed.Contains(entry)) changed.Add(entry);
        mark.Level = Access.Stricter(mark.Level, level);
        if (!mark.Holders.Contains(host.Holder)) mark.Holders.Add(host.Holder);
      }
      return changed;
    }

    void Release(Journal journal, Predicate<string> stays) {
      Dictionary<string, string> left = new Dictionary<string, string>();
      List<Entry> changed = new List<Entry>();
      HashSet<string> known = journal.Sids();
      int gone = 0;
      foreach (Entry entry in journal.Entries) {
        int before = entry.Marks.Count;
        foreach (Mark mark in entry.Marks) {
          gone += mark.Holders.RemoveAll(holder => !stays(holder));
          if (mark.Holders.Count == 0) left[mark.Sid] = mark.Profile;
        }
        entry.Marks.RemoveAll(mark => mark.Holders.Count == 0);
        if (entry.Marks.Count < before) changed.Add(entry);
      }
      if (gone == 0) return;
      // Roots have fewer letters than what lies in them: they are closed first.
      changed.Sort((one, other) => one.Path.Length.CompareTo(other.Path.Length));
      foreach (Entry entry in changed) {
        foreach (string sid in left.Keys) Apply(journal, entry, sid, false, known);
        if (entry.Marks.Count == 0) journal.Remove(entry);
      }
      journal.Save();
      HashSet<string> used = journal.Sids();
      foreach (KeyValuePair<string, string> one in left) if (!used.Contains(one.Key)) host.Forget(one.Value);
      Clear(changed);
    }

    void Clear(List<Entry> changed) {
      foreach (Entry entry in changed) {
        bool isScratch = entry.Path.StartsWith(host.StateFolder + "\\scratch-", StringComparison.OrdinalIgnoreCase);
        if (!isScratch || entry.Marks.Count > 0 || !host.Tree.Exists(entry.Path)) continue;
        try {
          host.Tree.Delete(entry.Path);
        } catch (IOException) {
          // Nothing is denied: the folder is empty of rights, only its place on the disk is taken.
        } catch (UnauthorizedAccessException) {
        }
      }
    }

    void Apply(Journal journal, Entry entry, string sid, bool isStrict) {
      Apply(journal, entry, sid, isStrict, journal.Sids());
    }

    void Apply(Journal journal, Entry entry, string sid, bool isStrict, HashSet<string> known) {
      try {
        WriteNamed(journal, entry, known);
      } catch (Fault) {
        if (isStrict) throw;
        // What has gone, or belongs to somebody else by now, has no list of ours any more.
        return;
      }
      if (!host.Tree.IsFolder(entry.Path)) return;
      Mark mark = entry.Of(sid);
      int rights = mark != null ? Access.Below(mark.Level) : Passed(journal, entry.Path, sid);
      Walk(journal, entry.Path, sid, rights, isStrict);
    }

    void WriteNamed(Journal journal, Entry entry, HashSet<string> known) {
      Dictionary<string, string> marks = new Dictionary<string, string>();
      Dictionary<string, int> passed = new Dictionary<string, int>();
      foreach (Mark mark in entry.Marks) marks[mark.Sid] = mark.Level;
      foreach (string sid in known) {
        if (!marks.ContainsKey(sid)) passed[sid] = Passed(journal, entry.Path, sid);
      }
      bool isFolder = host.Tree.IsFolder(entry.Path);
      host.Tree.Write(entry.Path, Access.Named(entry.Before, isFolder, marks, passed, known));
    }

    /// What the nearest folder above gives to a container.
    static int Passed(Journal journal, string path, string sid) {
      for (int at = path.LastIndexOf('\\'); at > 0; at = path.LastIndexOf('\\', at - 1)) {
        Entry entry = journal.Find(path.Substring(0, at));
        Mark mark = entry == null ? null : entry.Of(sid);
        if (mark != null) return Access.Below(mark.Level);
      }
      return 0;
    }

    /// Gives to all below what the folder passes on. Links are not followed: their targets have lists of their own.
    void Walk(Journal journal, string folder, string sid, int rights, bool isStrict) {
      foreach (Child child in host.Tree.Children(folder)) {
        Entry entry = journal.Find(child.Path);
        if (entry != null && entry.Of(sid) != null) continue;
        int below = rights;
        try {
          if (entry != null) WriteNamed(journal, entry, journal.Sids());
          else below = Inherit(child, sid, rights);
        } catch (Fault) {
          // Denied: the run, if something would stay open that was to be closed. What stays closed harms nobody.
          if (isStrict && rights == 0) throw;
          continue;
        }
        if (child.IsFolder) Walk(journal, child.Path, sid, below, isStrict);
      }
    }

    int Inherit(Child child, string sid, int rights) {
      byte[] now = host.Tree.Read(child.Path);
      byte[] then = Access.Inherited(now, child.IsFolder, sid, rights);
      if (then != null) host.Tree.Write(child.Path, then);
      return Access.IsProtected(now) ? 0 : rights;
    }
  }
`
