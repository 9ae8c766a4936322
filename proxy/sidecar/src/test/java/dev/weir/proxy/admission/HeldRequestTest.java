package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A leaky bucket that queues, over real sockets. What is measured is that nobody passes before his
 * slot; how much later is the machine's affair.
 */
@Timeout(120)
class HeldRequestTest {
  private static Rig queue(String limit, int burst) throws Exception {
    return new Rig(
        Rig.preferredTransport(),
        "--limit",
        limit,
        "--burst",
        Integer.toString(burst),
        "--algorithm",
        "leaky-bucket",
        "--overflow",
        "queue",
        "--max-wait",
        "1h");
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  @Test
  void passesRequestsThatComeAtOnceOneByOneInTheirOrder() throws Exception {
    int count = 15;
    long spacingNs = TimeUnit.MILLISECONDS.toNanos(20);
    Map<String, Long> arrivedNs = new ConcurrentHashMap<>();
    List<RawClient> clients = new ArrayList<>();
    try (Rig rig = queue("50/1s", 50)) {
      rig.origin.script(
          conversation -> {
            String head = conversation.head();
            arrivedNs.put(head.substring(4, head.indexOf(' ', 4)), System.nanoTime());
            conversation.send(RecordingOrigin.OK);
          });
      for (int i = 0; i < count; i++) {
        clients.add(rig.connect());
      }
      long firstNs = System.nanoTime();
      for (int i = 0; i < count; i++) {
        clients.get(i).send(get("/" + i));
        rig.await("weir_requests_total", i + 1);
      }
      for (RawClient client : clients) {
        assertEquals(200, client.read().status());
        client.close();
      }
      for (int i = 0; i < count; i++) {
        long afterNs = arrivedNs.get("/" + i) - firstNs;
        assertTrue(afterNs >= i * spacingNs, "request " + i + " came after " + afterNs + " ns");
      }
      assertEquals(0, rig.metric("weir_requests_waiting"));
    }
  }

  @Test
  void refusesWhatTheBucketCannotHoldAndFreesThePlaceOfWhoLeaves() throws Exception {
    try (Rig rig = queue("2/1h", 2);
        RawClient first = rig.connect();
        RawClient third = rig.connect()) {
      assertEquals(200, first.send(get("/1")).read().status());
      try (RawClient second = rig.connect()) {
        second.send(get("/2"));
        rig.await("weir_requests_waiting", 1);
        RawClient.Response refused = third.send(get("/3")).read();
        assertEquals(429, refused.status());
        long seconds = Long.parseLong(refused.field("Retry-After"));
        assertTrue(seconds > 1700 && seconds <= 1800, refused.head());
        assertEquals(0, refused.remaining());
        second.reset();
      }
      rig.await("weir_requests_waiting", 0);
      rig.await("weir_requests_in_flight", 0);
      assertEquals(1, rig.origin.requestCount());
    }
  }

  @Test
  void readsTheNextRequestOfAConnectionWhenTheHeldOneHasPassed() throws Exception {
    try (Rig rig = queue("20/1s", 20);
        RawClient client = rig.connect()) {
      long firstNs = System.nanoTime();
      client.send(
          get("/1") + "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + get("/3"));
      for (int i = 0; i < 3; i++) {
        assertEquals(200, client.read().status());
      }
      assertTrue(System.nanoTime() - firstNs >= 2 * TimeUnit.SECONDS.toNanos(1) / 20);
      assertTrue(rig.origin.nextRequest().startsWith("GET /1 "));
      String second = rig.origin.nextRequest();
      assertTrue(second.startsWith("POST /2 ") && second.endsWith("\r\n\r\nhello"), second);
      assertTrue(rig.origin.nextRequest().startsWith("GET /3 "));
    }
  }

  @Test
  void finishesTheRequestsThatAreHeldWhenTheProcessEnds() throws Exception {
    try (Rig rig = queue("2/1s", 2);
        RawClient first = rig.connect();
        RawClient second = rig.connect()) {
      first.send(get("/1"));
      rig.await("weir_requests_total", 1);
      second.send(get("/2"));
      rig.await("weir_requests_total", 2);
      assertTrue(rig.sidecar.drain(TimeUnit.SECONDS.toNanos(60)));
      assertEquals(200, first.read().status());
      assertEquals(200, second.read().status());
    }
  }
}
