package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
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
import dev.weir.proxy.rig.LoopRig;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.scripts.server.Await;
import java.io.IOException;
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

  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Question> questions = new LinkedBlockingQueue<>();
  private final long startNs = System.nanoTime();
  private volatile long skippedNs;
  private volatile boolean isBroken;
  private RecordingOrigin service;
  private LoopRig rig;
  private ClientProtocols clients;
  private Listeners listener;

  private record Question(long ticket, Gate.Outcome outcome) {}

  @BeforeEach
  void start() throws IOException {
    service = new RecordingOrigin();
    service.script(
        conversation -> {
          String request = conversation.request();
          paths.add(request.split(" ")[1]);
          String body = request.substring(request.indexOf("\r\n\r\n") + 4);
          conversation.send(
              "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        });
    Settings settings =
        SettingsFlags.read(
            Map.of(
                "--upstream", service.url(),
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
  void stop() throws IOException {
    listener.close();
    rig.close();
    service.close();
  }

  @Test
  void forwardsHeadAndBodyWhenTheVerdictComesLater() throws Exception {
    try (RawClient client = connect()) {
      client.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
      Question question = nextQuestion();
      assertEquals(List.of(), paths);
      settle(question, new Verdict().allowUnlimited());
      RawClient.Response response = client.read();
      assertEquals(200, response.status());
      assertEquals("hello", response.body());
      assertEquals(List.of("/late"), paths);
    }
  }

  @Test
  void decidesPipelinedRequestsOneAfterTheOther() throws Exception {
    try (RawClient client = connect()) {
      client.send(
          "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
              + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
              + "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      settle(nextQuestion(), new Verdict().allowUnlimited());
      Question second = nextQuestion();
      assertEquals(List.of("/1"), paths);
      settle(second, new Verdict().refuse(RefusalReason.OVER_LIMIT));
      settle(nextQuestion(), new Verdict().allowUnlimited());
      List<String> statuses =
          client.readToEnd().lines().filter(line -> line.startsWith("HTTP/1.1")).toList();
      assertEquals(
          List.of("HTTP/1.1 200 OK", "HTTP/1.1 429 Too Many Requests", "HTTP/1.1 200 OK"),
          statuses);
      assertEquals(List.of("/1", "/3"), paths);
    }
  }

  @Test
  void forwardsNothingForAClientThatHasGone() throws Exception {
    Question question;
    try (RawClient client = connect()) {
      client.send("GET /gone HTTP/1.1\r\nHost: a\r\n\r\n");
      question = nextQuestion();
      client.reset(); // a reset: an end alone may be that of one who still waits
    }
    awaitConnections(0);
    settle(question, new Verdict().allowUnlimited());
    try (RawClient client = connect()) {
      client.send("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      settle(nextQuestion(), new Verdict().allowUnlimited());
      client.readToEnd();
    }
    assertEquals(List.of("/next"), paths);
  }

  @Test
  void aVerdictThatNeverComesEndsTheConnection() throws Exception {
    long errors = InternalErrors.count();
    try (RawClient client = connect()) {
      client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
      Question question = nextQuestion();
      skippedNs = TimeUnit.SECONDS.toNanos(11);
      assertThrows(IOException.class, client::read);
      awaitConnections(0);
      assertEquals(1, InternalErrors.count() - errors);
      settle(question, new Verdict().allowUnlimited()); // and finds nobody
      assertEquals(List.of(), paths);
    }
  }

  @Test
  void aGateThatFailsEndsItsClientsConnectionAndNoOther() throws Exception {
    long errors = InternalErrors.count();
    try (RawClient other = connect();
        LogLines log = new LogLines()) {
      other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
      Question question = nextQuestion();
      isBroken = true;
      for (int i = 0; i < 20; i++) {
        try (RawClient client = connect()) {
          client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n");
          assertThrows(IOException.class, client::read);
        }
      }
      isBroken = false;
      settle(question, new Verdict().refuse(RefusalReason.OVER_LIMIT));
      assertEquals(429, other.read().status());
      awaitConnections(1);
      assertEquals(20, InternalErrors.count() - errors);
      assertTrue(log.with("internal error").size() < 20, "not a line for each: " + log);
    }
    assertEquals(List.of(), paths);
  }

  private RawClient connect() throws IOException {
    return new RawClient(listener.addresses().get(0));
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
    Await.until(
        count + " connections",
        () -> rig.eventLoop.submit(clients.clients::connectionCount).get() == count);
  }
}
