package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.Rig;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResult;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules by host and address, and lists of addresses, in each way to ask. */
@Timeout(60)
class PartnerTest {
  private static final String PARTNER = "198.51.100.7";
  private static final String HOST = "api.example.com";

  /** Nothing of the window comes back meanwhile. */
  private static String file(String network) {
    return FourWays.SETTINGS
        + """
        rules:
          - id: partner
            match: {host: api.example.com, cidr: [%s]}
            action: unlimited
          - {id: others, limit: 20/365d}
        """
            .formatted(network);
  }

  private static int passed(FourWays.Way way, int count) throws Exception {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += way.ask("/orders", "ann").isEmpty() ? 1 : 0;
    }
    return passed;
  }

  @Test
  void aPartnerByAddressHasNoLimitAndWhoSendsItsHeadersHas20() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file("198.51.100.0/24"));
        FourWays ways = new FourWays(rig)) {
      for (int i = 0; i < 4; i++) {
        FourWays.Way way = ways.all().get(i);
        ways.as("API.Example.com.", PARTNER);
        assertEquals(30, passed(way, 30), "way " + i);
        ways.as(HOST, "203.0.113." + i);
        assertEquals(20, passed(way, 22));
        ways.as("www.example.com", "198.51.100.1" + i);
        assertEquals(20, passed(way, 22));
      }
      rig.publish(file("203.0.113.0/24").replace("decision: 127.0.0.1:0\n", ""));
      for (FourWays.Way way : ways.all()) {
        ways.as(HOST, "203.0.113.1");
        assertEquals(5, passed(way, 5));
      }
      ways.as(HOST, PARTNER);
      assertEquals(20, passed(ways.all().get(0), 22));
    }
  }

  @Test
  void callsOfGrpcAreMatchedByAuthorityToo() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file("127.0.0.0/8"));
        FramePeer client = new FramePeer(rig.sidecar.listenAddress())) {
      int refused = 0;
      for (int i = 0; i < 60; i++) {
        client
            .headers(
                2 * i + 1,
                true,
                ":method: POST",
                ":scheme: http",
                ":path: /shop.Cart/Add",
                ":authority: " + (i < 30 ? "api.example.com:443" : "www.example.com"),
                "content-type: application/grpc",
                "te: trailers")
            .send();
        String answer = client.next();
        for (String frame = answer; !frame.endsWith(" end"); ) {
          frame = client.next();
          answer += frame;
        }
        assertTrue(i >= 30 || !answer.contains("grpc-status: 8"), answer);
        refused += answer.contains("grpc-status: 8") ? 1 : 0;
      }
      assertEquals(10, refused);
    }
  }

  @Test
  void checksOfABatchThatDifferInTheAddressOnlyFindTheirOwnRules() throws Exception {
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file("198.51.100.0/24"))) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
      CheckRateLimitsRequest.Builder batch = CheckRateLimitsRequest.newBuilder();
      for (int i = 0; i < 50; i++) {
        CheckRateLimitRequest.Builder check = batch.addChecksBuilder();
        check.setIdentifier(i % 2 == 0 ? PARTNER : "203.0.113.1").setDimension(Dimension.IP);
        check.addOtherIdentitiesBuilder().setIdentifier(HOST).setDimensionName("header:host");
        check.setEndpoint("/orders").setMethod("GET");
      }
      List<CheckRateLimitResult> results =
          RateLimiterGrpc.newBlockingStub(channel).checkRateLimits(batch.build()).getResultsList();
      channel.shutdownNow();
      List<Integer> refused = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        if (!results.get(i).getResponse().getAllowed()) {
          refused.add(i);
        }
      }
      assertEquals(List.of(41, 43, 45, 47, 49), refused);
    }
  }

  @Test
  void listsComeBeforeRulesAndBlockBeforeAllow(@TempDir Path folder) throws Exception {
    Path blocked = folder.resolve("block.txt");
    Files.writeString(blocked, "198.51.100.0/24 # all of them\n");
    String file =
        file("198.51.100.0/24")
            + "lists: {allow: [203.0.113.0/24, 198.51.100.7], block: ['file:"
            + blocked
            + "', 2001:db8::/32]}\n";
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file);
        FourWays ways = new FourWays(rig)) {
      for (FourWays.Way way : ways.all()) {
        for (String address : List.of(PARTNER, "198.51.100.8", "2001:db8::7")) {
          String refusal = ways.as(HOST, address).all().get(0).ask("/orders", "ann");
          assertEquals("403", refusal);
          assertEquals(0, passed(way, 2));
        }
        ways.as("www.example.com", "203.0.113.9");
        assertEquals(30, passed(way, 30));
      }
      assertEquals(36, rig.metric("weir_listed_total{list=\"block\"}"));
      assertEquals(120, rig.metric("weir_listed_total{list=\"allow\"}"));
      Files.writeString(blocked, "192.0.2.0/24\n");
      rig.sidecar.reload();
      ways.as(HOST, "198.51.100.8");
      assertEquals(30, passed(ways.all().get(0), 30));
      Files.writeString(blocked, "192.0.2.0/24\nnobody\n");
      rig.sidecar.reload();
      ways.as(HOST, "192.0.2.9");
      assertEquals("403", ways.all().get(0).ask("/orders", "ann"));
      rig.publish(file("198.51.100.0/24").replace("decision: 127.0.0.1:0\n", ""));
      ways.as(HOST, "2001:db8::7");
      assertEquals("", ways.all().get(0).ask("/orders", "ann"));
      assertEquals("403", ways.as(HOST, "192.0.2.9").all().get(0).ask("/orders", "ann"));
    }
  }
}
