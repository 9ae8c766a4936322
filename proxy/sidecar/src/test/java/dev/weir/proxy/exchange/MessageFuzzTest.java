package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.StrictReader.Message;
import dev.weir.proxy.rig.Rig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages with random faults, in random pieces, on many connections at once: whatever comes, the
 * other side reads what an independent reader of the standard would have read, or nothing. All
 * memory accesses are checked, buffers are counted.
 */
@Timeout(300)
class MessageFuzzTest {
  /** On each transport; each build draws others. */
  private static final int CONNECTIONS = Integer.getInteger("weir.fuzz", 250);

  /** One connection in sixteen waits for a time to end, and most of this test is waiting. */
  private static final int THREADS = 32;

  private static final int TIMEOUT_MS = 60_000;

  /** How long the sidecar waits for what a client sends; the service has five times as long. */
  private static final long PATIENCE_SECONDS = 1;

  /** Names the connection that bytes came from, in every part of a message; see {@link #mark}. */
  private static final Pattern MARK = Pattern.compile("c(\\d{1,6})x[0-9a-f]{8}q");

  private static final Map<Integer, String> MARKS = new ConcurrentHashMap<>();

  /** What parsers are confused with. */
  private static final List<String> TOKENS =
      List.of(
          "\r\n",
          "\n",
          "\r",
          "\0",
          " ",
          "\t",
          ":",
          ",",
          ";",
          "\"",
          "0",
          "-",
          "+",
          "\u00ff",
          "\r\n\r\n",
          "0\r\n\r\n",
          "1\r\nx\r\n",
          "ffffffffffffffff\r\n",
          "Content-Length: 3\r\n",
          "Content-Length: 0\r\n",
          "Transfer-Encoding: chunked\r\n",
          "Transfer-Encoding : chunked\r\n",
          "Connection: close\r\n",
          "Connection: keep-alive, x\r\n",
          "Expect: 100-continue\r\n",
          "Host: b\r\n",
          " folded\r\n",
          "HTTP/1.0",
          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
          "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n");

  private final long seed = Long.getLong("weir.seed", 1);

  @BeforeAll
  static void accessesAreChecked() {
    assertFalse(Boolean.getBoolean("agrona.disable.bounds.checks"));
    assertFalse(Boolean.getBoolean("aeron.disable.bounds.checks"));
    assertEquals("true", System.getProperty("io.netty.buffer.checkBounds", "true"));
  }

  /** One that no fault turns into another connection's. */
  private static String mark(int connection) {
    return MARKS.computeIfAbsent(
        connection, of -> String.format("c%dx%08xq", of, (of + 1) * 0x9E37_79B1));
  }

  /** The first that stands in a text; null if none does. */
  private static String markIn(String text) {
    Matcher marks = MARK.matcher(text);
    while (marks.find()) {
      if (marks.group().equals(mark(Integer.parseInt(marks.group(1))))) {
        return marks.group();
      }
    }
    return null;
  }

  private static String request(SplittableRandom random, String mark, int number, boolean last) {
    String id = "/" + mark + '/' + number;
    String fields = "Host: a\r\nX-Mark: " + mark + (last ? "\r\nConnection: close\r\n" : "\r\n");
    String body = (mark + '.').repeat(1 + random.nextInt(random.nextInt(10) == 0 ? 4_000 : 8));
    return switch (random.nextInt(8)) {
      case 0 -> "HEAD " + id + " HTTP/1.1\r\n" + fields + "\r\n";
      case 1 -> "GET http://a" + id + "?q=" + mark + " HTTP/1.1\r\n" + fields + "\r\n";
      case 2, 3 ->
          "POST "
              + id
              + " HTTP/1.1\r\n"
              + fields
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      case 4, 5 ->
          "PUT "
              + id
              + " HTTP/1.1\r\n"
              + fields
              + "Transfer-Encoding: chunked\r\n\r\n"
              + chunks(random, body);
      case 6 ->
          "POST "
              + id
              + " HTTP/1.1\r\n"
              + fields
              + "Expect: 100-continue\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      default -> "GET " + id + " HTTP/1.1\r\n" + fields + "Accept: */*\r\n\r\n";
    };
  }

  private static String chunks(SplittableRandom random, String body) {
    StringBuilder chunks = new StringBuilder();
    for (int at = 0; at < body.length(); ) {
      int end = at + 1 + random.nextInt(body.length() - at);
      chunks.append(Integer.toHexString(end - at));
      chunks.append(random.nextInt(4) == 0 ? ";a=b\r\n" : "\r\n");
      chunks.append(body, at, end).append("\r\n");
      at = end;
    }
    return chunks + (random.nextInt(3) == 0 ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n");
  }

  private static String response(SplittableRandom random, String mark) {
    String body = (mark + '.').repeat(1 + random.nextInt(random.nextInt(10) == 0 ? 4_000 : 8));
    String fields = "X-Mark: " + mark + "\r\n";
    return switch (random.nextInt(6)) {
      case 0 -> "HTTP/1.1 204 No Content\r\n" + fields + "\r\n";
      case 1 ->
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
              + fields
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      case 2, 3 ->
          "HTTP/1.1 200 OK\r\n"
              + fields
              + "Transfer-Encoding: chunked\r\n\r\n"
              + chunks(random, body);
      case 4 -> "HTTP/1.0 200 OK\r\n" + fields + "\r\n" + body;
      default ->
          "HTTP/1.1 404 Not Found\r\n"
              + fields
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
    };
  }

  /** The same with so many faults. */
  private static String spoil(SplittableRandom random, String message, int faults) {
    StringBuilder spoilt = new StringBuilder(message);
    for (int i = 0; i < faults && !spoilt.isEmpty(); i++) {
      // Most of what can go wrong is in heads and chunks: where lines end, and near it.
      int at = random.nextInt(spoilt.length());
      if (random.nextBoolean()) {
        int line = spoilt.indexOf("\r\n", at);
        at = Math.max(0, Math.min(spoilt.length() - 1, line - 2 + random.nextInt(6)));
      }
      switch (random.nextInt(5)) {
        case 0 -> spoilt.setCharAt(at, (char) random.nextInt(256));
        case 1, 2 -> spoilt.insert(at, TOKENS.get(random.nextInt(TOKENS.size())));
        case 3 -> spoilt.delete(at, Math.min(spoilt.length(), at + 1 + random.nextInt(4)));
        default -> {
          int end = Math.min(spoilt.length(), at + 1 + random.nextInt(40));
          spoilt.insert(at, spoilt.substring(at, end));
        }
      }
    }
    return spoilt.toString();
  }

  /** Sends a text in random pieces, and may end the output then. */
  private static void send(SplittableRandom random, Socket socket, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    OutputStream out = socket.getOutputStream();
    try {
      for (int at = 0; at < bytes.length; ) {
        int most = random.nextInt(3) == 0 ? 8 : bytes.length;
        int length = Math.min(bytes.length - at, 1 + random.nextInt(most));
        out.write(bytes, at, length);
        at += length;
      }
      if (random.nextInt(16) > 0) {
        socket.shutdownOutput(); // else a sidecar that waits for more does so for a second
      }
    } catch (SocketException ended) {
      // It has its answer already.
    }
  }

  /** What comes until the connection ends, which it must. */
  private static String readToEnd(Socket socket) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    byte[] read = new byte[8192];
    try {
      for (int length = in.read(read); length >= 0; length = in.read(read)) {
        bytes.write(read, 0, length);
      }
    } catch (SocketException reset) {
      // As good an end as any.
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  /** As much as fits a message. */
  private static String begin(String text) {
    return text.length() <= 2_000 ? text : text.substring(0, 2_000) + "... " + text.length();
  }

  private static void assertOnlyOf(String mark, String text, String what) {
    String others = markIn(text.replace(mark, ""));
    assertTrue(
        others == null, () -> what + " of " + mark + " with " + others + ":\n" + begin(text));
  }

  private static Rig rig(String transport, FuzzOrigin origin) throws Exception {
    Rig rig =
        new Rig(
            transport,
            "--limit",
            "1000000000/1s",
            "--timeouts.head",
            PATIENCE_SECONDS + "s",
            "--timeouts.body",
            PATIENCE_SECONDS + "s",
            "--timeouts.idle",
            PATIENCE_SECONDS + "s",
            "--timeouts.response",
            5 * PATIENCE_SECONDS + "s");
    rig.origin.script(origin);
    return rig;
  }

  private interface Client {
    void run(Socket socket, SplittableRandom random, String mark, long begunNs) throws IOException;
  }

  /** Whether what was begun then was done before the sidecar could tire of it. */
  private static boolean isInTime(long sinceNs) {
    return System.nanoTime() - sinceNs < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
  }

  private void runClients(Rig rig, Client client) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        SplittableRandom random = new SplittableRandom(seed + i);
        String mark = mark(i);
        Callable<Void> run =
            () -> {
              long begunNs = System.nanoTime();
              try (Socket socket = new Socket()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MS);
                socket.connect((InetSocketAddress) rig.sidecar.listenAddress(), TIMEOUT_MS);
                client.run(socket, random, mark, begunNs);
                return null;
              }
            };
        all.add(threads.submit(run));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    rig.await("weir_requests_in_flight", 0);
    rig.await("weir_connections_open", 0);
    rig.await("weir_upstream_waiting", 0);
    rig.await("weir_upstream_streams_open", 0);
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void theServiceGetsNoRequestThatAStrictReaderWouldNotHaveRead(String transport) throws Exception {
    System.out.println("weir.seed=" + seed);
    Map<String, String> sent = new ConcurrentHashMap<>();
    Map<String, String> received = new ConcurrentHashMap<>();
    Set<String> unspoilt = ConcurrentHashMap.newKeySet();
    String head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    FuzzOrigin origin =
        new FuzzOrigin(request -> request.start().startsWith("HEAD ") ? head : head + "ok");
    try (Rig rig = rig(transport, origin)) {
      runClients(
          rig,
          (socket, random, mark, begunNs) -> {
            int count = 1 + random.nextInt(4);
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < count; i++) {
              requests.append(request(random, mark, i, i == count - 1));
            }
            int faults = random.nextInt(4);
            String text = spoil(random, requests.toString(), faults);
            sent.put(mark, text);
            send(random, socket, text);
            if (faults == 0 && isInTime(begunNs)) {
              unspoilt.add(mark);
            }
            if (faults > 0 && random.nextInt(4) == 0) {
              return; // and is gone
            }
            received.put(mark, readToEnd(socket));
          });
      assertEquals(List.of(), List.copyOf(origin.unreadable));
      assertSent(sent, origin);
      for (String mark : unspoilt) {
        String answers = received.get(mark);
        int passed = answers.split("HTTP/1.1 200 OK", -1).length - 1;
        int asked = sent.get(mark).split(" HTTP/1.1\r\n", -1).length - 1;
        assertEquals(
            asked, passed, () -> "sent:\n" + begin(sent.get(mark)) + "\n\ngot:\n" + begin(answers));
      }
      assertTrue(unspoilt.size() > CONNECTIONS / 10, "enough that must pass");
    }
  }

  /** Each request that arrived was sent, by that client, in that order, with that body. */
  private static void assertSent(Map<String, String> sent, FuzzOrigin origin) {
    Map<String, StrictReader> readers = new HashMap<>();
    for (Message got : origin.requests) {
      String whole = got.head() + got.body();
      String mark = markIn(whole);
      if (mark == null) {
        continue; // nothing in it tells who sent it
      }
      assertOnlyOf(mark, whole, "a request");
      StrictReader reader = readers.computeIfAbsent(mark, m -> new StrictReader(sent.get(m)));
      Message read = reader.request();
      while (read != null && !isSame(read, got)) {
        read = reader.request(); // one that was refused, or told nobody who sent it
      }
      assertTrue(
          read != null, () -> "sent:\n" + begin(sent.get(mark)) + "\n\ngot:\n" + begin(whole));
    }
  }

  private static boolean isSame(Message sent, Message got) {
    String method = got.start().substring(0, got.start().indexOf(' '));
    return sent.start().startsWith(method + ' ')
        && sent.body().equals(got.body())
        && sent.values("X-Mark").equals(got.values("X-Mark"));
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void aClientGetsNothingOfAnothersResponseAndNoHalfOfItsOwnForAWhole(String transport)
      throws Exception {
    System.out.println("weir.seed=" + seed);
    Map<String, String> answers = new ConcurrentHashMap<>();
    FuzzOrigin origin =
        new FuzzOrigin(
            request -> {
              String mark = markIn(request.head());
              SplittableRandom random = new SplittableRandom(seed ^ request.start().hashCode());
              String text = spoil(random, response(random, mark), random.nextInt(3));
              answers.put(request.start(), text);
              return text;
            });
    try (Rig rig = rig(transport, origin)) {
      runClients(
          rig,
          (socket, random, mark, begunNs) -> {
            int count = 1 + random.nextInt(3);
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < count; i++) {
              requests.append("GET /" + mark + '/' + i + " HTTP/1.1\r\nHost: a\r\n");
              requests.append(i == count - 1 ? "Connection: close\r\n\r\n" : "\r\n");
            }
            send(random, socket, requests.toString());
            assertAnswers(mark, count, readToEnd(socket), answers);
          });
      assertEquals(List.of(), List.copyOf(origin.unreadable));
    }
  }

  /** All responses but the last are whole, and in order; each is what the service has sent. */
  private static void assertAnswers(
      String mark, int count, String got, Map<String, String> answers) {
    assertOnlyOf(mark, got, "the responses");
    StrictReader reader = new StrictReader(got);
    for (int i = 0; i < count; i++) {
      Message response = reader.response(false, false);
      while (response != null && response.isInformational()) {
        response = reader.response(false, false);
      }
      if (response == null) {
        break; // broken off, and the connection has ended
      }
      String body = response.body();
      String answer = answers.get("GET /" + mark + '/' + i);
      boolean own = !response.head().contains("\r\nContent-Type: application/problem+json\r\n");
      if (own && answer != null) {
        StrictReader service = new StrictReader(answer);
        Message sent = service.response(false, true);
        while (sent != null && sent.isInformational()) {
          sent = service.response(false, true);
        }
        Message whole = sent;
        assertTrue(
            whole != null && whole.start().equals(response.start()) && whole.body().equals(body),
            () -> "sent:\n" + begin(answer) + "\n\ngot:\n" + begin(got));
      }
    }
    assertFalse(reader.isBroken(), () -> mark + " got:\n" + begin(got));
  }
}
