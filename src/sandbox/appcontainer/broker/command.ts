/** C#: one command from its request to its end, in the words of the conversation (sandbox.md §6). */

export const COMMAND: string = String.raw`
  /// A process of the container that was started suspended, with everything that it starts.
  public interface IRun {
    uint Id { get; }
    Stream Input { get; }
    Stream Output { get; }
    Stream Errors { get; }
    void Resume();
    /// Waits for the process itself, not for what it left behind; gives its exit code.
    uint Wait();
    /// Ends the process and all that it started.
    void Kill();
    void Close();
  }

  /// A machine that has containers.
  public interface IMachine : IHost {
    /// A program's file, found by its name on the path of the request; a Fault when there is none.
    string Find(Request request);
    IRun Start(Request request, string program, Lease lease);
    /// Programs that the self-test runs.
    string SystemFolder { get; }
  }

  /// Listens to the host while a command runs; whoever ends the conversation ends the command.
  public sealed class Conversation {
    readonly Wire wire;
    readonly object gate = new object();
    readonly Queue<byte[]> early = new Queue<byte[]>();
    IRun run;
    bool isOver;
    bool isInputOver;

    public Conversation(Wire wire) {
      this.wire = wire;
      Thread listener = new Thread(Listen);
      listener.IsBackground = true;
      listener.Start();
    }

    public bool IsOver { get { lock (gate) return isOver; } }

    /// From now on the input is this run's.
    public void Join(IRun started) {
      lock (gate) {
        run = started;
        if (isOver) run.Kill();
      }
      Thread feeder = new Thread(Feed);
      feeder.IsBackground = true;
      feeder.Start();
    }

    void Listen() {
      try {
        char kind;
        byte[] body;
        while (wire.Read(out kind, out body)) {
          lock (gate) {
            if (kind == 'I') early.Enqueue(body);
            else if (kind == 'Z') isInputOver = true;
            else break;
            Monitor.PulseAll(gate);
          }
        }
      } catch (Exception) {
        // Denied: everything that the host might still want.
      }
      lock (gate) {
        isOver = true;
        if (run != null) run.Kill();
        Monitor.PulseAll(gate);
      }
    }

    void Feed() {
      try {
        for (byte[] next = Next(); next != null; next = Next()) run.Input.Write(next, 0, next.Length);
      } catch (IOException) {
        // The command reads no more; that is its own affair.
      } catch (ObjectDisposedException) {
      }
      try {
        run.Input.Close();
      } catch (IOException) {
      }
    }

    byte[] Next() {
      lock (gate) {
        while (early.Count == 0 && !isInputOver && !isOver) Monitor.Wait(gate);
        return early.Count > 0 && !isOver ? early.Dequeue() : null;
      }
    }
  }

  /// The broker.
  public static class Broker {
    /// Called by the script once this assembly is loaded.
    public static int Run(Stream from, Stream to) {
      Wire wire = new Wire(from, to);
      try {
        return Serve(wire, new WindowsMachine());
      } catch (Exception error) {
        return Fail(wire, error);
      }
    }

    public static int Serve(Wire wire, IMachine machine) {
      try {
        wire.Say('H', "1");
        char kind;
        byte[] body;
        if (!wire.Read(out kind, out body)) return 1;
        if (kind != 'Q') throw new Fault("request_malformed", "the first frame is no request");
        Request request = Request.Parse(body);
        Conversation conversation = new Conversation(wire);
        if (!request.IsSelfTested) {
          new SelfTest(machine).Run();
          wire.Say('P', "");
        }
        if (!conversation.IsOver) Carry(wire, machine, request, conversation);
        return 0;
      } catch (Exception error) {
        return Fail(wire, error);
      }
    }

    static int Fail(Wire wire, Exception error) {
      Fault fault = error as Fault;
      string name = fault == null ? "internal" : fault.Name;
      string detail = fault == null ? error.GetType().Name + ": " + error.Message : error.Message;
      if (detail.Length > 500) detail = detail.Substring(0, 500);
      try {
        wire.Say('F', name + "\0" + detail.Replace("\0", ""));
      } catch (IOException) {
        // Nobody listens any more.
      }
      return 1;
    }

    static void Carry(Wire wire, IMachine machine, Request request, Conversation conversation) {
      string program = machine.Find(request);
      bool isTold = false;
      Lease lease = new Lease(machine, request.Wants);
      try {
        IRun run = machine.Start(request, program, lease);
        try {
          conversation.Join(run);
          // Said before it is true: a host that hears nothing of it may be sure that nothing ran.
          wire.Say('S', run.Id);
          run.Resume();
          Thread output = Pump(wire, run.Output, 'O');
          Thread errors = Pump(wire, run.Errors, 'E');
          uint code = run.Wait();
          // What the command left behind holds the streams: it ends first.
          run.Kill();
          output.Join();
          errors.Join();
          wire.Say('X', code);
          isTold = true;
        } finally {
          run.Kill();
          run.Close();
        }
      } finally {
        Leave(lease, isTold);
      }
    }

    static void Leave(Lease lease, bool isTold) {
      try {
        lease.Dispose();
      } catch (Exception) {
        // The journal still holds it: the next broker takes it back. Nothing follows the end of a command.
        if (!isTold) throw;
      }
    }

    static Thread Pump(Wire wire, Stream from, char kind) {
      Thread pump = new Thread(() => {
        byte[] bytes = new byte[32768];
        try {
          for (int read = from.Read(bytes, 0, bytes.Length); read > 0; read = from.Read(bytes, 0, bytes.Length)) {
            wire.Say(kind, bytes, read);
          }
        } catch (IOException) {
          // The command or the host has gone: there is nothing to carry any more.
        } catch (ObjectDisposedException) {
        }
      });
      pump.IsBackground = true;
      pump.Start();
      return pump;
    }
  }
`
