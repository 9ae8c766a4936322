package dev.weir.proxy.decision.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.client.Decision;
import dev.weir.client.FailurePolicy;
import dev.weir.client.RateLimitClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.Dimension;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client for Java and a sidecar, over grpc-java's own transport. */
@Timeout(60)
class RateLimitClientTest {
  private static CheckRateLimitRequest.Builder check(String user) {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier(user)
        .setDimension(Dimension.USER)
        .setEndpoint("/orders/7");
  }

  @Test
  void asksASidecarAloneAndInBatchesAndDoesWithoutIt() throws Exception {
    ManagedChannel channel;
    try (Rig rig =
        new Rig(
            "nio",
            "--decision",
            "127.0.0.1:0",
            "--limit",
            "100/365d",
            "--key",
            "header:x-user-id")) {
      channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
      RateLimitClient client =
          RateLimitClient.builder(channel, FailurePolicy.CLOSED)
              .timeout(Duration.ofSeconds(20))
              .build();
      Decision first = client.check(check("ann").build());
      assertTrue(first.isDecided() && first.allowed(), first.toString());
      assertEquals(99, first.response().getRemaining());
      assertEquals("default", first.response().getRuleId());

      List<CompletableFuture<Decision>> many =
          IntStream.range(0, 500).mapToObj(i -> client.checkAsync(check("bob").build())).toList();
      assertEquals(100, many.stream().filter(decision -> decision.join().allowed()).count());
      assertTrue(many.stream().allMatch(decision -> decision.join().isDecided()));

      StatusRuntimeException fault =
          assertThrows(
              StatusRuntimeException.class, () -> client.check(check("ann").setCost(-1).build()));
      assertEquals(
          "INVALID_ARGUMENT: cost: -1 (expected: 1 to 2^40, or 0 for the rule's)",
          fault.getMessage());
    }
    Decision without =
        RateLimitClient.builder(channel, FailurePolicy.OPEN).build().check(check("ann").build());
    assertTrue(without.allowed() && !without.isDecided(), without.toString());
    channel.shutdownNow();
    assertTrue(channel.awaitTermination(10, TimeUnit.SECONDS));
  }
}
