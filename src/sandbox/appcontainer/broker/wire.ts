/** C#: frames between host and broker, and the request that the host sends (sandbox.md §6). */

export const WIRE: string = String.raw`
  /// What the broker refuses; the host knows every name.
  public sealed class Fault : Exception {
    public readonly string Name;
    public Fault(string name, string detail) : base(detail) { Name = name; }
  }

  /// One byte that says what it is, four of length, lowest first, then the body.
  public sealed class Wire {
    public const int Most = 1048576;
    readonly Stream from;
    readonly Stream to;
    readonly object gate = new object();

    public Wire(Stream from, Stream to) { this.from = from; this.to = to; }

    /// False at the end of the conversation, whole or not: whoever has gone asks for nothing any more.
    public bool Read(out char kind, out byte[] body) {
      kind = '\0';
      body = new byte[0];
      byte[] head = new byte[5];
      if (!Fill(head)) return false;
      uint length = (uint)(head[1] | head[2] << 8 | head[3] << 16) | (uint)head[4] << 24;
      if (length > Most) throw new Fault("request_malformed", "a frame is too long");
      kind = (char)head[0];
      body = new byte[length];
      return Fill(body);
    }

    public void Say(char kind, byte[] body, int count) {
      byte[] head = { (byte)kind, (byte)count, (byte)(count >> 8), (byte)(count >> 16), (byte)(count >> 24) };
      lock (gate) {
        to.Write(head, 0, head.Length);
        to.Write(body, 0, count);
        to.Flush();
      }
    }

    public void Say(char kind, string text) {
      byte[] body = Encoding.UTF8.GetBytes(text);
      Say(kind, body, body.Length);
    }

    public void Say(char kind, uint number) {
      byte[] body = { (byte)number, (byte)(number >> 8), (byte)(number >> 16), (byte)(number >> 24) };
      Say(kind, body, body.Length);
    }

    bool Fill(byte[] bytes) {
      for (int at = 0; at < bytes.Length;) {
        int read = from.Read(bytes, at, bytes.Length - at);
        if (read <= 0) return false;
        at += read;
      }
      return true;
    }
  }

  /// A path, and what a command may do there.
  public sealed class Want {
    public readonly string Path;
    public readonly string Level;
    public Want(string path, string level) { Path = path; Level = level; }
  }

  /// What to run: names and values in turn, each ended by a NUL.
  public sealed class Request {
    public string Program = "";
    public string CommandLine = "";
    public string Folder = "";
    public string SearchPath = "";
    public bool IsSelfTested;
    public uint Processes;
    public ulong Memory;
    public readonly List<Want> Wants = new List<Want>();
    public readonly List<string> Environment = new List<string>();

    public static Request Parse(byte[] body) {
      string text;
      try {
        text = new UTF8Encoding(false, true).GetString(body);
      } catch (ArgumentException) {
        throw new Fault("request_malformed", "the request is not UTF-8");
      }
      string[] parts = text.Split('\0');
      if (parts.Length % 2 != 1 || parts[parts.Length - 1] != "") {
        throw new Fault("request_malformed", "a name stands without a value");
      }
      Request request = new Request();
      for (int at = 0; at + 1 < parts.Length; at += 2) request.Take(parts[at], parts[at + 1]);
      if (request.Program == "" || request.CommandLine == "" || request.Folder == "") {
        throw new Fault("request_malformed", "a program, a command line or a folder is missing");
      }
      return request;
    }

    void Take(string name, string value) {
      switch (name) {
        case "program": Program = value; return;
        case "command_line": CommandLine = value; return;
        case "folder": Folder = value; return;
        case "search_path": SearchPath = value; return;
        case "self_tested": IsSelfTested = value == "yes"; return;
        case "environment": Environment.Add(value); return;
        case "processes": Processes = (uint)Number(value, uint.MaxValue); return;
        case "memory": Memory = Number(value, long.MaxValue); return;
        case "write": case "read": case "none": case "hidden": case "fixed": case "pinned":
          Wants.Add(new Want(value, name));
          return;
        default: throw new Fault("request_malformed", "an unknown name");
      }
    }

    static ulong Number(string text, ulong most) {
      ulong number;
      bool isNumber = ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
      if (isNumber && number > 0 && number <= most) return number;
      throw new Fault("request_malformed", "a limit is no positive whole number");
    }
  }
`
