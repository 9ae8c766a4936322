package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.UInt64Value;
import dev.weir.proxy.Sidecar;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Envoy's own stubs, by grpc-java, ask a sidecar as they would ask envoyproxy/ratelimit. */
class EnvoyRateLimitIT {
  @TempDir private Path folder;
  private Sidecar sidecar;
  private ManagedChannel channel;
  private RateLimitServiceBlockingStub stub;

  @BeforeEach
  void start() throws Exception {
    write(2);
    Faults faults = Faults.ofFlags();
    Map<String, String> flags =
        Map.of(
            "--decision", "127.0.0.1:0",
            "--ratelimit-config", folder.toString(),
            "--admin", "off",
            "--event-loops", "1",
            "--table.keys", "1000");
    sidecar = Sidecar.start(SettingsFlags.read(flags, faults));
    int port = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    stub = RateLimitServiceGrpc.newBlockingStub(channel);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    sidecar.close();
  }

  private void write(int requestsPerUnit) throws Exception {
    Files.writeString(
        folder.resolve("edge.yaml"),
        """
        domain: edge
        descriptors:
          - key: user
            rate_limit: {unit: year, requests_per_unit: %d, name: per_user}
          - key: open
            rate_limit: {unlimited: yes}
        """
            .formatted(requestsPerUnit));
  }

  private static RateLimitDescriptor.Builder descriptor(String key, String value) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    descriptor.addEntriesBuilder().setKey(key).setValue(value);
    return descriptor;
  }

  private static RateLimitRequest.Builder request(RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("edge");
    for (RateLimitDescriptor.Builder descriptor : descriptors) {
      request.addDescriptors(descriptor);
    }
    return request;
  }

  private RateLimitResponse ask(RateLimitRequest.Builder request) {
    return stub.withDeadlineAfter(60, TimeUnit.SECONDS).shouldRateLimit(request.build());
  }

  @Test
  void getsAStatusForEachDescriptorInTheirOrder() {
    RateLimitRequest.Builder request =
        request(descriptor("open", "x"), descriptor("none", "x"), descriptor("user", "ann"));
    RateLimitResponse response = ask(request);
    assertEquals(Code.OK, response.getOverallCode());
    assertEquals(3, response.getStatusesCount());
    assertEquals(-1, response.getStatuses(0).getLimitRemaining());
    assertFalse(response.getStatuses(1).hasCurrentLimit());
    RateLimitResponse.DescriptorStatus user = response.getStatuses(2);
    assertEquals(1, user.getLimitRemaining());
    assertEquals(2, user.getCurrentLimit().getRequestsPerUnit());
    assertEquals(Unit.YEAR, user.getCurrentLimit().getUnit());
    assertEquals("per_user", user.getCurrentLimit().getName());
    assertTrue(user.getDurationUntilReset().getSeconds() > 0);
    ask(request);
    RateLimitResponse refused = ask(request);
    assertEquals(Code.OVER_LIMIT, refused.getOverallCode());
    assertEquals(Code.OK, refused.getStatuses(0).getCode());
    assertEquals(Code.OVER_LIMIT, refused.getStatuses(2).getCode());
  }

  @Test
  void looksWithNoHitsAndIsToldWhatWasReported() {
    RateLimitDescriptor.Builder look = descriptor("user", "bob").setHitsAddend(UInt64Value.of(0));
    assertEquals(2, ask(request(look)).getStatuses(0).getLimitRemaining());
    ask(request(descriptor("user", "bob")).setHitsAddend(5));
    assertEquals(Code.OVER_LIMIT, ask(request(look)).getOverallCode());
  }

  @Test
  void isToldWhatIsWrongWithACall() {
    StatusRuntimeException none = assertThrows(StatusRuntimeException.class, () -> ask(request()));
    assertEquals(Status.Code.INVALID_ARGUMENT, none.getStatus().getCode());
    assertEquals("descriptors: none (expected: 1 or more)", none.getStatus().getDescription());
    RateLimitDescriptor.Builder noUnit = descriptor("user", "eve");
    noUnit.getLimitBuilder().setRequestsPerUnit(5);
    StatusRuntimeException unit =
        assertThrows(StatusRuntimeException.class, () -> ask(request(noUnit)));
    assertEquals(Status.Code.INVALID_ARGUMENT, unit.getStatus().getCode());
  }

  @Test
  void followsTheFilesWhileItRunsAndKeepsTheCount() throws Exception {
    ask(request(descriptor("user", "dan")));
    Files.writeString(folder.resolve("broken.yaml"), "domain: [");
    write(7);
    RateLimitRequest.Builder look =
        request(descriptor("user", "dan").setHitsAddend(UInt64Value.of(0)));
    assertEquals(1, ask(look).getStatuses(0).getLimitRemaining());
    Files.delete(folder.resolve("broken.yaml"));
    long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (ask(look).getStatuses(0).getLimitRemaining() != 6) {
      assertTrue(System.nanoTime() < untilNs, "the file is not read again");
    }
  }
}
