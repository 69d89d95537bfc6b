/** C#: attempts to leave the container, judged from outside, before the first command (sandbox.md §6). */

export const SELF_TEST: string = String.raw`
  /// Runs programs of the system in a container of its own. Throws a Fault unless every attempt fails
  /// and its twin inside succeeds.
  public sealed class SelfTest {
    const string Given = "sixgate given";
    const string Fixed = "sixgate fixed";
    const string Secret = "sixgate secret";
    readonly IMachine machine;
    readonly string folder;
    readonly string inside;
    readonly string outside;

    public SelfTest(IMachine machine) {
      this.machine = machine;
      folder = machine.StateFolder + "\\self-test-" + Guid.NewGuid().ToString("N");
      inside = folder + "\\inside";
      outside = folder + "\\outside";
    }

    public void Run() {
      try {
        foreach (string made in new[] { inside, inside + "\\fixed", outside }) Directory.CreateDirectory(made);
        File.WriteAllText(inside + "\\given", Given);
        File.WriteAllText(inside + "\\fixed\\file", Fixed);
        foreach (string path in new[] { outside + "\\secret", inside + "\\masked" }) File.WriteAllText(path, Secret);
        Want[] wants = {
          new Want(inside, "write"), new Want(inside + "\\fixed", "fixed"), new Want(inside + "\\masked", "none"),
        };
        using (Lease lease = new Lease(machine, wants)) Attempt(lease);
      } finally {
        if (Directory.Exists(folder)) Directory.Delete(folder, true);
      }
    }

    void Attempt(Lease lease) {
      string copied = inside + "\\copied";
      Curl(lease, "-o", copied, Url(inside + "\\given"));
      Hold(File.Exists(copied) && File.ReadAllText(copied) == Given, "the twin could not copy a file inside");

      Curl(lease, "-o", outside + "\\written", Url(inside + "\\given"));
      Hold(!File.Exists(outside + "\\written"), "a file outside was written");

      Hold(!Curl(lease, Url(outside + "\\secret")).Contains(Secret), "a secret outside was read");
      Hold(!Curl(lease, Url(inside + "\\masked")).Contains(Secret), "a covered secret inside was read");

      Curl(lease, "-o", inside + "\\fixed\\file", Url(copied));
      Curl(lease, "-o", inside + "\\fixed\\new", Url(copied));
      Hold(File.ReadAllText(inside + "\\fixed\\file") == Fixed, "a protected file was written");
      Hold(!File.Exists(inside + "\\fixed\\new"), "a file was made in a protected folder");

      byte[] list = machine.Tree.Read(inside + "\\fixed");
      Run(lease, "icacls.exe", inside + "\\fixed", "/grant", "*" + lease.Sid + ":(OI)(CI)F");
      Hold(Convert.ToBase64String(list) == Convert.ToBase64String(machine.Tree.Read(inside + "\\fixed")),
        "an access list was changed from inside");
      Reach(lease);
    }

    void Reach(Lease lease) {
      TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
      listener.Start();
      try {
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        using (TcpClient twin = new TcpClient()) {
          twin.Connect(IPAddress.Loopback, port);
          listener.AcceptTcpClient().Close();
        }
        Curl(lease, "-m", "3", "--noproxy", "*", "http://127.0.0.1:" + port + "/");
        Hold(!listener.Pending(), "a listener of the host was reached");
      } finally {
        listener.Stop();
      }
    }

    string Curl(Lease lease, params string[] words) {
      string[] all = new string[words.Length + 2];
      // First, or a configuration file of the user is read.
      all[0] = "-q";
      all[1] = "-sS";
      words.CopyTo(all, 2);
      return Run(lease, "curl.exe", all);
    }

    string Run(Lease lease, string name, params string[] words) {
      string program = machine.SystemFolder + "\\" + name;
      Request request = new Request { Program = program, Folder = inside, CommandLine = Line(program, words) };
      IRun run = machine.Start(request, machine.Find(request), lease);
      try {
        run.Input.Close();
        StringBuilder said = new StringBuilder();
        Thread reader = new Thread(() => said.Append(new StreamReader(run.Output).ReadToEnd()));
        Thread errors = new Thread(() => new StreamReader(run.Errors).ReadToEnd());
        reader.Start();
        errors.Start();
        using (new Timer(_ => run.Kill(), null, 8000, Timeout.Infinite)) {
          run.Resume();
          run.Wait();
        }
        run.Kill();
        reader.Join();
        errors.Join();
        return said.ToString();
      } finally {
        run.Kill();
        run.Close();
      }
    }

    /// Paths and options of the test hold no quotes and end in no backslash.
    static string Line(string program, string[] words) {
      StringBuilder line = new StringBuilder("\"" + program + "\"");
      foreach (string word in words) line.Append(" \"").Append(word).Append('"');
      return line.ToString();
    }

    static string Url(string path) { return new Uri(path).AbsoluteUri; }

    static void Hold(bool isHeld, string otherwise) {
      if (!isHeld) throw new Fault("self_test_failed", otherwise);
    }
  }
`
