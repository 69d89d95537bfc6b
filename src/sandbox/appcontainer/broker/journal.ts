/** C#: who holds which access entry, kept on disk before a list is changed (sandbox.md §6). */

export const JOURNAL: string = String.raw`
  /// A name in a folder that is no link.
  public struct Child {
    public readonly string Path;
    public readonly bool IsFolder;
    public Child(string path, bool isFolder) { Path = path; IsFolder = isFolder; }
  }

  /// Files and their access lists. Nothing follows a link; what has moved is a Fault "moved".
  public interface ITree {
    /// The path with its names in full; short names stand for the same file.
    string Spelled(string path);
    bool Exists(string path);
    bool IsFolder(string path);
    IEnumerable<Child> Children(string folder);
    byte[] Read(string path);
    void Write(string path, byte[] descriptor);
    void Make(string folder);
    void Delete(string folder);
  }

  /// The right of some brokers to one path for one container.
  public sealed class Mark {
    public string Sid = "";
    public string Profile = "";
    public string Level = "";
    public readonly List<string> Holders = new List<string>();
  }

  /// A path whose list is not as it was, with the list as it was.
  public sealed class Entry {
    public string Path = "";
    public byte[] Before = new byte[0];
    public readonly List<Mark> Marks = new List<Mark>();

    public Mark Of(string sid) { return Marks.Find(mark => mark.Sid == sid); }

    public bool IsSealed { get { return Marks.Exists(mark => Access.IsSeal(mark.Level)); } }
  }

  /// The journal while it is locked: read whole, written whole, one file in the place of the other.
  public sealed class Journal : IDisposable {
    const string Head = "sixgate-access 1";
    const int WaitMs = 30000;
    readonly string file;
    readonly FileStream held;
    readonly Dictionary<string, Entry> entries =
      new Dictionary<string, Entry>(StringComparer.OrdinalIgnoreCase);

    public Journal(string folder) {
      Directory.CreateDirectory(folder);
      file = Path.Combine(folder, "journal");
      held = Lock(Path.Combine(folder, "lock"));
      try {
        if (File.Exists(file)) Parse(File.ReadAllLines(file));
      } catch {
        held.Dispose();
        throw;
      }
    }

    public void Dispose() { held.Dispose(); }

    public ICollection<Entry> Entries { get { return entries.Values; } }

    public Entry Find(string path) {
      Entry entry;
      return entries.TryGetValue(path, out entry) ? entry : null;
    }

    public void Add(Entry entry) { entries[entry.Path] = entry; }

    public void Remove(Entry entry) { entries.Remove(entry.Path); }

    public HashSet<string> Sids() {
      HashSet<string> sids = new HashSet<string>();
      foreach (Entry entry in entries.Values) foreach (Mark mark in entry.Marks) sids.Add(mark.Sid);
      return sids;
    }

    public void Save() {
      StringBuilder text = new StringBuilder(Head + "\n");
      foreach (Entry entry in entries.Values) {
        text.Append(Convert.ToBase64String(Encoding.UTF8.GetBytes(entry.Path)));
        text.Append('\t').Append(Convert.ToBase64String(entry.Before));
        foreach (Mark mark in entry.Marks) {
          string[] fields = { mark.Sid, mark.Profile, mark.Level, string.Join(",", mark.Holders.ToArray()) };
          text.Append('\t').Append(string.Join("|", fields));
        }
        text.Append('\n');
      }
      // A crash in between leaves the old file or the new one, never half of either.
      using (FileStream made = new FileStream(file + ".new", FileMode.Create, FileAccess.Write)) {
        byte[] bytes = Encoding.UTF8.GetBytes(text.ToString());
        made.Write(bytes, 0, bytes.Length);
        made.Flush(true);
      }
      if (File.Exists(file)) File.Replace(file + ".new", file, null);
      else File.Move(file + ".new", file);
    }

    void Parse(string[] lines) {
      if (lines.Length == 0 || lines[0] != Head) throw new Fault("journal_malformed", file);
      for (int at = 1; at < lines.Length; at++) {
        string[] fields = lines[at].Split('\t');
        if (fields.Length < 3) throw new Fault("journal_malformed", file);
        Entry entry = new Entry();
        try {
          entry.Path = Encoding.UTF8.GetString(Convert.FromBase64String(fields[0]));
          entry.Before = Convert.FromBase64String(fields[1]);
        } catch (FormatException) {
          throw new Fault("journal_malformed", file);
        }
        for (int mark = 2; mark < fields.Length; mark++) entry.Marks.Add(Marked(fields[mark]));
        Add(entry);
      }
    }

    Mark Marked(string text) {
      string[] parts = text.Split('|');
      if (parts.Length != 4) throw new Fault("journal_malformed", file);
      Mark mark = new Mark { Sid = parts[0], Profile = parts[1], Level = parts[2] };
      mark.Holders.AddRange(parts[3].Split(','));
      return mark;
    }

    static FileStream Lock(string path) {
      Stopwatch waited = Stopwatch.StartNew();
      while (true) {
        try {
          return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        } catch (IOException) {
          if (waited.ElapsedMilliseconds > WaitMs) throw new Fault("journal_busy", path);
          Thread.Sleep(20);
        }
      }
    }
  }
`
