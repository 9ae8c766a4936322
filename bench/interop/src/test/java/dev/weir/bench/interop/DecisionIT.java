package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.GetRemainingQuotaRequest;
import dev.weir.v1.RateLimiterGrpc;
import dev.weir.v1.ResetLimitRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The decision API, asked by grpc-java. */
@Timeout(120)
class DecisionIT {
  private static final String TOKEN = "0123456789abcdef";

  private Sidecar sidecar;
  private ManagedChannel channel;

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    Path tokens = Files.writeString(folder.resolve("tokens"), TOKEN + "\n");
    Faults faults = Faults.ofFlags();
    sidecar =
        Sidecar.start(
            SettingsFlags.read(
                Map.of(
                    "--decision", "127.0.0.1:0",
                    "--decision-tokens", tokens.toString(),
                    "--admin", "off",
                    "--event-loops", "1",
                    "--table.keys", "1000",
                    "--key", "header:x-user-id",
                    "--limit", "10/365d"),
                faults));
    int port = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    sidecar.close();
  }

  private RateLimiterGrpc.RateLimiterBlockingStub rateLimiter() {
    return RateLimiterGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private static CheckRateLimitRequest check(String user) {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier(user)
        .setDimension(Dimension.USER)
        .setEndpoint("/orders")
        .build();
  }

  @Test
  void decidesAsItDoesForRequests() {
    for (int left = 9; left >= 0; left--) {
      CheckRateLimitResponse allowed = rateLimiter().checkRateLimit(check("ann"));
      assertTrue(allowed.getAllowed());
      assertEquals(left, allowed.getRemaining());
    }
    assertFalse(rateLimiter().checkRateLimit(check("ann")).getAllowed());
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 1_000; i++) {
      many.addChecks(check("user-" + i));
    }
    CheckRateLimitsResponse answers = rateLimiter().checkRateLimits(many.build());
    assertEquals(1_000, answers.getResultsCount());
    assertTrue(
        answers.getResultsList().stream()
            .allMatch(result -> result.getResponse().getRemaining() == 9));
    assertEquals(
        10,
        rateLimiter()
            .getRemainingQuota(
                GetRemainingQuotaRequest.newBuilder()
                    .setIdentifier("ann")
                    .setDimension(Dimension.USER)
                    .setEndpoint("/orders")
                    .build())
            .getQuotas(0)
            .getCurrentCount());
  }

  private static void assertFails(Status.Code code, Runnable call) {
    StatusRuntimeException failed = assertThrows(StatusRuntimeException.class, call::run);
    assertEquals(code, failed.getStatus().getCode(), failed.toString());
  }

  @Test
  void failsInTheWaysOfGrpcAndTheConnectionLives() {
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        () -> rateLimiter().checkRateLimit(check("x".repeat(65_536))));
    assertFails(
        Status.Code.UNIMPLEMENTED,
        () -> rateLimiter().withCompression("gzip").checkRateLimit(check("ann")));
    assertFails(
        Status.Code.RESOURCE_EXHAUSTED,
        () -> rateLimiter().checkRateLimit(check("x".repeat(5 << 20))));
    assertFails(
        Status.Code.DEADLINE_EXCEEDED,
        () ->
            RateLimiterGrpc.newBlockingStub(channel)
                .withDeadlineAfter(-1, TimeUnit.SECONDS)
                .checkRateLimit(check("ann")));
    ResetLimitRequest reset =
        ResetLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setDimension(Dimension.USER)
            .setRuleId("default")
            .build();
    assertFails(Status.Code.UNAUTHENTICATED, () -> rateLimiter().resetLimit(reset));
    assertEquals(9, rateLimiter().checkRateLimit(check("ann")).getRemaining());
    Metadata token = new Metadata();
    token.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + TOKEN);
    Channel trusted =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(token));
    assertEquals("default", RateLimiterGrpc.newBlockingStub(trusted).resetLimit(reset).getRuleId());
    assertEquals(9, rateLimiter().checkRateLimit(check("ann")).getRemaining());
  }

  /** Together more than a connection may hold: one waits for the other, and neither is lost. */
  @Test
  void answersLongMessagesThatComeAtOnceOnOneConnection() throws Exception {
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < 1_000; i++) {
      many.addChecks(check("u" + i).toBuilder().setEndpoint("/orders/" + "x".repeat(3_500)));
    }
    CheckRateLimitsRequest request = many.build();
    assertTrue(request.getSerializedSize() > 3 << 20);
    List<Future<CheckRateLimitsResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      answers.add(
          RateLimiterGrpc.newFutureStub(channel)
              .withDeadlineAfter(60, TimeUnit.SECONDS)
              .checkRateLimits(request));
    }
    for (Future<CheckRateLimitsResponse> answer : answers) {
      assertEquals(1_000, answer.get(60, TimeUnit.SECONDS).getResultsCount());
    }
    assertEquals(5, rateLimiter().checkRateLimit(check("u7")).getRemaining());
  }

  @Test
  void tellsItsHealthAndItsServices() throws Exception {
    assertEquals(
        ServingStatus.SERVING,
        HealthGrpc.newBlockingStub(channel)
            .check(HealthCheckRequest.newBuilder().setService("weir.v1.RateLimiter").build())
            .getStatus());
    CompletableFuture<ServerReflectionResponse> told = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> asking =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    told.complete(response);
                  }

                  @Override
                  public void onError(Throwable failed) {
                    told.completeExceptionally(failed);
                  }

                  @Override
                  public void onCompleted() {
                    // It has been told.
                  }
                });
    asking.onNext(ServerReflectionRequest.newBuilder().setListServices("*").build());
    assertEquals(
        List.of("grpc.health.v1.Health", "weir.v1.RateLimiter"),
        told.get(60, TimeUnit.SECONDS).getListServicesResponse().getServiceList().stream()
            .map(service -> service.getName())
            .toList());
    asking.onCompleted();
  }
}
