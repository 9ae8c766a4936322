package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FreePorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the log and clients are told of a service that is away for a while. */
@Timeout(120)
class ServiceAwayTest extends RigTest {
  private static final int REQUESTS = 20;

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void theLogTellsOnceThatItIsAwayAndOnceThatItIsBack(String transport) throws Exception {
    // No connection of another test takes it before the service is back.
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next());
    String name = "127.0.0.1:" + address.getPort();
    try (LogLines log = new LogLines()) {
      start(transport, "--upstream", "http://" + name, "--event-loops", "2");
      try (RawClient first = rig.connect();
          RawClient second = rig.connect()) { // on another event loop
        for (int i = 0; i < REQUESTS; i++) {
          RawClient.Response answer = (i % 2 == 0 ? first : second).send(Rig.VALID).read();
          assertEquals(502, answer.status());
          assertEquals(
              "{\"type\":\"about:blank\",\"title\":\"Upstream Connection Refused\",\"status\":502,"
                  + "\"detail\":\"The service refuses connections.\","
                  + "\"reason\":\"upstream_connection_refused\"}\n",
              answer.body());
        }
        List<String> told = log.with("upstream " + name);
        assertEquals(1, told.size(), log.toString());
        String cause = ": Connection refused: /" + name + "; requests get a 502 or 504";
        assertEquals("WARN upstream " + name + cause, told.get(0));

        try (RecordingOrigin service = new RecordingOrigin(address)) {
          assertEquals(200, first.send(Rig.VALID).read().status());
          assertEquals(1, service.connectionCount());
          Await.until("told", () -> log.with("upstream " + name).size() > 1);
        }
        String back = log.with("upstream " + name).get(1);
        String expected = "connected again; it happened " + REQUESTS + " times in ";
        assertTrue(back.startsWith("INFO upstream " + name + ": " + expected), back);
      }
      assertEquals(2, log.with("upstream " + name).size(), log.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void aClientIsToldTheCauseAndNoAddressAndTheLogBoth(String transport) throws Exception {
    start(transport, "--upstream", "unix:/nowhere/at/all.sock");
    try (LogLines log = new LogLines();
        RawClient client = rig.connect()) {
      RawClient.Response answer = client.send(Rig.VALID).read();
      assertEquals(502, answer.status());
      assertTrue(answer.body().contains("\"detail\":\"There is no way to the service.\""));
      assertFalse(answer.body().contains("nowhere"), answer.body());
      assertEquals(
          List.of(
              "WARN upstream unix:/nowhere/at/all.sock: No such file or directory:"
                  + " /nowhere/at/all.sock; requests get a 502 or 504"),
          log.with("upstream "));
    }
  }
}
