package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every algorithm through real sockets, on two event loops that share the budgets. */
@Timeout(60)
class AlgorithmsTest {
  private static final int REQUESTS = 50;

  /** Windows so long that no edge of one comes by, and nothing of a pace comes back. */
  @ParameterizedTest
  @CsvSource({
    "gcra, 10/1000d, 1000",
    "token-bucket, 10/1000d, 1000",
    "leaky-bucket, 10/1000d, 1000",
    "fixed-window, 10/1000d, 1000",
    "sliding-log, 10/1000d, 1000",
    "sliding-counter, 10/1000d, 1000",
    "bucket-ring, 10/1000d, 1000"
  })
  void passesExactlyTheLimitOfRequestsThatComeAtOnce(String algorithm, String limit, long days)
      throws Exception {
    List<RawClient> clients = new ArrayList<>();
    try (Rig rig =
        new Rig("nio", "--algorithm", algorithm, "--limit", limit, "--event-loops", "2")) {
      for (int i = 0; i < REQUESTS; i++) {
        clients.add(rig.connect());
      }
      for (RawClient client : clients) {
        client.send(Rig.VALID);
      }
      int passed = 0;
      for (RawClient client : clients) {
        RawClient.Response response = client.read();
        assertEquals("\"default\";q=10;w=" + days * 86_400, response.field("RateLimit-Policy"));
        if (response.status() == 200) {
          passed++;
        } else {
          assertEquals(429, response.status());
          assertEquals(0, response.remaining());
          assertTrue(Long.parseLong(response.field("Retry-After")) > 0, response.head());
        }
        client.close();
      }
      assertEquals(10, passed);
      assertEquals(10, rig.origin.requestCount());
    }
  }
}
