import dev.weir.scripts.CheckCall;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.ScriptLimit;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many instructions does redis-server take for a decision, alone in its call and in a call of
 * 16? Counts them by callgrind, as the difference of two numbers of calls over 800 keys, of the
 * script in the jar that is on the class path, so two versions are two runs:
 *
 * <pre>
 * java -cp redis-scripts/target/weir-redis-scripts-0.1.0-SNAPSHOT.jar \
 *     bench/scripts/ScriptCost.java [VARIANT...]
 * </pre>
 *
 * Needs valgrind and redis-server on the PATH.
 */
public final class ScriptCost {
  private static final int KEYS = 800;
  private static final int BATCH = 16;
  private static final long HOUR_US = 3_600_000_000L;
  private static final long LIFE_US = 100_000;
  private static final Pattern TOTAL = Pattern.compile("(?m)^(?:summary|totals): (\\d+)");

  private static final ScriptLimit GCRA = ScriptLimit.paced(10_000, 1_000, HOUR_US);
  private static final ScriptLimit LEASED = GCRA.leased(LIFE_US);
  private static final ScriptLimit WINDOW = ScriptLimit.fixedWindow(10_000_000, HOUR_US, 0);
  private static final ScriptLimit COUNTER = ScriptLimit.slidingCounter(2_000_000, HOUR_US);
  private static final ScriptLimit RING = ScriptLimit.bucketRing(10_000_000, HOUR_US, 10);

  /** Never full, whatever its holders have charged. */
  private static final ScriptLimit HELD = ScriptLimit.paced(1L << 40, 1_000_000, 1_000_000);

  private static final ScriptLimit SLOTS = ScriptLimit.concurrency(10_000_000);
  private static final long HOLDER = 7;

  /** The number of the last message of a holder, the same for all keys. */
  private static long sequence = 1;

  /** Adds one check to a call, at a time. */
  private interface Ask {
    void add(CheckCall call, long nowUs);
  }

  /** A question, and the limit under which its keys were charged or held before. */
  private record Variant(ScriptLimit limit, boolean isHeld, Ask ask) {
    Variant(ScriptLimit limit, Ask ask) {
      this(limit, false, ask);
    }

    /** Asks for so many requests, of a holder that holds some units and has charged some more. */
    static Variant holding(ScriptLimit limit, int requests, int units, boolean charges) {
      final Ask ask =
          (call, now) -> {
            sequence++;
            call.hold(requests, 0, ScriptLimit.MAX_LIFE_US, HOLDER, sequence);
            call.alsoHeld(limit, 1, units, charges ? sequence : 0, false);
          };
      return new Variant(limit, true, ask);
    }

    /** Brings a key into the state that is measured. */
    void prepare(CheckCall call, int units) {
      if (isHeld) {
        call.hold(1, 0, ScriptLimit.MAX_LIFE_US, HOLDER, 1);
        call.alsoHeld(limit, 1, 0, 0, true);
      } else {
        call.check(units, 1, limit);
      }
    }

    String[] keysOf(String name) {
      return isHeld ? new String[] {name, name + "!held"} : new String[] {name};
    }
  }

  private static Map<String, Variant> variants() {
    final Map<String, Variant> variants = new TreeMap<>();
    variants.put("check-gcra", new Variant(GCRA, (call, now) -> call.check(1, 1, GCRA)));
    variants.put("check-leased", new Variant(LEASED, (call, now) -> call.check(1, 1, LEASED)));
    variants.put("check-window", new Variant(WINDOW, (call, now) -> call.check(1, 1, WINDOW)));
    variants.put("check-counter", new Variant(COUNTER, (call, now) -> call.check(1, 1, COUNTER)));
    variants.put("check-ring", new Variant(RING, (call, now) -> call.check(1, 1, RING)));
    variants.put(
        "lease-gcra", new Variant(LEASED, (call, now) -> call.lease(1, 4, LIFE_US, 1, LEASED)));
    variants.put(
        "lease-window", new Variant(WINDOW, (call, now) -> call.lease(1, 4, LIFE_US, 1, WINDOW)));
    variants.put("refund-gcra", new Variant(GCRA, (call, now) -> call.refund(1, now, GCRA)));
    variants.put(
        "refund-leased",
        new Variant(LEASED, (call, now) -> call.refund(1, now, LIFE_US, LEASED, 5)));
    variants.put("refund-window", new Variant(WINDOW, (call, now) -> call.refund(1, now, WINDOW)));
    variants.put("hold-gcra", Variant.holding(HELD, 1, 1, false));
    variants.put("settle-gcra", Variant.holding(HELD, 0, 0, true));
    variants.put("hold-concurrency", Variant.holding(SLOTS, 1, 1, false));
    return variants;
  }

  private ScriptCost() {}

  public static void main(String[] names) throws Exception {
    final Map<String, Variant> variants = variants();
    for (String name : names) {
      if (!variants.containsKey(name)) {
        System.err.println(name + " (expected: of " + variants.keySet() + ")");
        System.exit(2);
      }
    }
    System.out.println("variant, alone, in a call of " + BATCH);
    for (String name : names.length > 0 ? List.of(names) : variants.keySet()) {
      final Variant variant = variants.get(name);
      System.out.println(
          name + ", " + cost(variant, 1, 300, 1_300) + ", " + cost(variant, BATCH, 100, 400));
    }
  }

  private static long cost(Variant variant, int checks, int few, int many) throws Exception {
    return (instructions(variant, checks, many) - instructions(variant, checks, few))
        / ((many - few) * checks);
  }

  private static long instructions(Variant variant, int checks, int calls) throws Exception {
    final int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    final Path counts = Files.createTempFile("callgrind", ".out");
    final Process server =
        new ProcessBuilder(
                "valgrind",
                "--tool=callgrind",
                "--instr-atstart=no",
                "--callgrind-out-file=" + counts,
                "redis-server",
                "--save",
                "",
                "--hz", // else its own work on a slow machine counts
                "1",
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (Socket socket = connect(port)) {
      final DataInputStream in = new DataInputStream(socket.getInputStream());
      send(socket, in, List.of("SCRIPT".getBytes(), "LOAD".getBytes(), LuaScript.CHECK.source()));
      final SplittableRandom random = new SplittableRandom(7);
      for (int key = 0; key < KEYS; key += BATCH) {
        final CheckCall owes = new CheckCall(2 * BATCH);
        for (int i = 0; i < BATCH; i++) {
          variant.prepare(owes, 100 + random.nextInt(400));
        }
        evaluate(socket, in, variant, owes, key, BATCH);
      }
      ask(socket, in, variant, checks, 50);
      control("on", server);
      ask(socket, in, variant, checks, calls);
      control("off", server);
    } finally {
      server.destroy();
      server.waitFor();
    }
    final Matcher total = TOTAL.matcher(Files.readString(counts));
    long last = 0;
    while (total.find()) {
      last = Long.parseLong(total.group(1));
    }
    Files.delete(counts);
    return last;
  }

  private static Socket connect(int port) throws Exception {
    for (int attempt = 0; attempt < 200; attempt++) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (IOException notYet) {
        Thread.sleep(100);
      }
    }
    throw new IllegalStateException("redis-server under valgrind: no answer for 20 s");
  }

  private static void control(String instrumentation, Process server) throws Exception {
    new ProcessBuilder("callgrind_control", "-i", instrumentation, Long.toString(server.pid()))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static void ask(Socket socket, DataInputStream in, Variant variant, int checks, int calls)
      throws IOException {
    final long nowUs = System.currentTimeMillis() * 1_000;
    final CheckCall call = new CheckCall(2 * checks);
    for (int i = 0; i < calls; i++) {
      call.clear();
      for (int check = 0; check < checks; check++) {
        variant.ask.add(call, nowUs);
      }
      evaluate(socket, in, variant, call, i * checks, checks);
    }
  }

  private static void evaluate(
      Socket socket, DataInputStream in, Variant variant, CheckCall call, int first, int count)
      throws IOException {
    final List<byte[]> parts = new ArrayList<>();
    parts.add("EVALSHA".getBytes());
    parts.add(LuaScript.CHECK.sha1().getBytes());
    parts.add(Integer.toString(call.keyCount()).getBytes());
    for (int i = 0; i < count; i++) {
      final String name = "rl:{p042}:user:%06d:svc:rule".formatted((first + i) % KEYS);
      for (String key : variant.keysOf(name)) {
        parts.add(key.getBytes());
      }
    }
    parts.add(Arrays.copyOf(call.array(), call.length()));
    send(socket, in, parts);
  }

  private static void send(Socket socket, DataInputStream in, List<byte[]> parts)
      throws IOException {
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(("*" + parts.size() + "\r\n").getBytes());
    for (byte[] part : parts) {
      out.write(("$" + part.length + "\r\n").getBytes());
      out.write(part);
      out.write("\r\n".getBytes());
    }
    socket.getOutputStream().write(out.toByteArray());
    final StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      line.append((char) next);
    }
    if (line.charAt(0) != '$') {
      throw new IOException("redis-server: " + line.toString().trim());
    }
    final byte[] reply = new byte[Integer.parseInt(line.substring(1).trim()) + 2];
    in.readFully(reply);
    assert reply.length > 2 : new String(reply, StandardCharsets.UTF_8);
  }
}
