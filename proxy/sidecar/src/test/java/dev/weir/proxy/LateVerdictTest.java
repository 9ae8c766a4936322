package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A gate that answers when the test says so, behind real sockets: the request must be found parked,
 * whether its client still waits or has gone.
 */
class LateVerdictTest {
  private static final int TIMEOUT_MS = 60_000;

  private final List<String> origin = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
  private final long startNs = System.nanoTime();
  private volatile long skippedNs;
  private volatile boolean isBroken;
  private HttpServer server;
  private LoopRig rig;
  private ClientProtocols clients;
  private Listeners listener;

  private record Question(long ticket, Gate.Outcome outcome) {}

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          origin.add(exchange.getRequestURI().toString());
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    Settings settings =
        SettingsFlags.read(
            Map.of(
                "--upstream", "http://127.0.0.1:" + server.getAddress().getPort(),
                "--listen", "127.0.0.1:0",
                "--limit", "1/1s"),
            Faults.ofFlags());
    LoopClock clock = new LoopClock(() -> 1 + System.nanoTime() - startNs + skippedNs);
    rig = new LoopRig(settings, Transport.NIO, clock);
    Gate gate =
        (ticket, charges, nowNs, outcome) -> {
          if (isBroken) {
            throw new IllegalStateException("the gate is broken");
          }
          questions.add(new Question(ticket, outcome));
          return null;
        };
    clients = rig.clients(rig.admission(gate));
    listener = rig.listen(clients);
  }

  @AfterEach
  void stop() {
    listener.close();
    rig.close();
    server.stop(0);
  }

  @Test
  void forwardsHeadAndBodyWhenTheVerdictComesLater() throws Exception {
    try (Socket client = connect()) {
      send(client, "POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
      Question question = nextQuestion();
      assertEquals(List.of(), origin);
      settle(question, new Verdict().allowUnlimited());
      String response = readUntil(client, "hello");
      assertTrue(response.startsWith("HTTP/1.1 200 "), response);
      assertEquals(List.of("/late"), origin);
    }
  }

  @Test
  void decidesPipelinedRequestsOneAfterTheOther() throws Exception {
    try (Socket client = connect()) {
      send(
          client,
          "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
              + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
              + "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      settle(nextQuestion(), new Verdict().allowUnlimited());
      Question second = nextQuestion();
      assertEquals(List.of("/1"), origin);
      settle(second, new Verdict().refuse(RefusalReason.OVER_LIMIT));
      settle(nextQuestion(), new Verdict().allowUnlimited());
      String responses =
          new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      List<String> statuses =
          responses.lines().filter(line -> line.startsWith("HTTP/1.1")).toList();
      assertEquals(
          List.of("HTTP/1.1 200 OK", "HTTP/1.1 429 Too Many Requests", "HTTP/1.1 200 OK"),
          statuses);
      assertEquals(List.of("/1", "/3"), origin);
    }
  }

  @Test
  void forwardsNothingForAClientThatHasGone() throws Exception {
    Question question;
    try (Socket client = connect()) {
      send(client, "GET /gone HTTP/1.1\r\nHost: a\r\n\r\n");
      question = nextQuestion();
      client.setSoLinger(true, 0); // a reset: an end alone may be that of one who still waits
    }
    awaitConnections(0);
    settle(question, new Verdict().allowUnlimited());
    try (Socket client = connect()) {
      send(client, "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      settle(nextQuestion(), new Verdict().allowUnlimited());
      client.getInputStream().readAllBytes();
    }
    assertEquals(List.of("/next"), origin);
  }

  @Test
  void aVerdictThatNeverComesEndsTheConnection() throws Exception {
    long errors = InternalErrors.count();
    try (Socket client = connect()) {
      send(client, "GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
      Question question = nextQuestion();
      skippedNs = TimeUnit.SECONDS.toNanos(11);
      assertThrows(IOException.class, () -> client.getInputStream().read());
      awaitConnections(0);
      assertEquals(1, InternalErrors.count() - errors);
      settle(question, new Verdict().allowUnlimited()); // and finds nobody
      assertEquals(List.of(), origin);
    }
  }

  @Test
  void aGateThatFailsEndsItsClientsConnectionAndNoOther() throws Exception {
    long errors = InternalErrors.count();
    try (Socket other = connect();
        LogLines log = new LogLines()) {
      send(other, "GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
      Question question = nextQuestion();
      isBroken = true;
      for (int i = 0; i < 20; i++) {
        try (Socket client = connect()) {
          send(client, "GET /broken HTTP/1.1\r\nHost: a\r\n\r\n");
          assertThrows(IOException.class, () -> client.getInputStream().read());
        }
      }
      isBroken = false;
      settle(question, new Verdict().refuse(RefusalReason.OVER_LIMIT));
      assertTrue(readUntil(other, "\r\n").startsWith("HTTP/1.1 429 "));
      awaitConnections(1);
      assertEquals(20, InternalErrors.count() - errors);
      assertTrue(log.with("internal error").size() < 20, "not a line for each: " + log);
    }
    assertEquals(List.of(), origin);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(TIMEOUT_MS);
    socket.connect(listener.addresses().get(0), TIMEOUT_MS);
    return socket;
  }

  private static void send(Socket client, String bytes) throws IOException {
    client.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String readUntil(Socket client, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    InputStream in = client.getInputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      read.append((char) b);
      if (read.toString().endsWith(end)) {
        break;
      }
    }
    return read.toString();
  }

  private Question nextQuestion() throws InterruptedException {
    Question question = questions.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    assertTrue(question != null, "no verdict was asked for");
    return question;
  }

  private void settle(Question question, Verdict verdict) {
    rig.eventLoop
        .submit(() -> question.outcome().settle(question.ticket(), verdict))
        .syncUninterruptibly();
  }

  private void awaitConnections(int count) {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    while (rig.eventLoop.submit(clients.clients::connectionCount).awaitUninterruptibly().getNow()
        != count) {
      assertTrue(System.nanoTime() < deadlineNs, "the connection is still there");
    }
  }
}
