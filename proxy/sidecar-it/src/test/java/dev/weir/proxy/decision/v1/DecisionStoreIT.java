package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The decision API over a Redis. */
@Timeout(60)
class DecisionStoreIT {
  /** More than the store is asked for at once. */
  private static final int USERS = 400;

  private static final int LIMIT = 10;

  /** Of the store's time for a decision more than half, and less than all of it. */
  private static final int REPLY_MS = 550;

  private static final RedisServer redis = RedisServer.shared();

  private FaultProxy way;
  private Rig rig;
  private ManagedChannel channel;
  private RateLimiterGrpc.RateLimiterBlockingStub stub;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
    way = new FaultProxy(redis.port());
    rig =
        new Rig(
            "auto",
            "--decision",
            "127.0.0.1:0",
            "--mode",
            "exact",
            "--on-store-failure",
            "closed",
            "--redis.nodes",
            "127.0.0.1:" + way.port(),
            "--redis.deadline",
            "1s",
            "--limit",
            LIMIT + "/365d",
            "--key",
            "header:x-user-id");
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
    stub = RateLimiterGrpc.newBlockingStub(channel).withDeadlineAfter(50, TimeUnit.SECONDS);
    AtomicInteger group = new AtomicInteger();
    Await.until(
        "the store decides",
        () -> decided(stub.checkRateLimits(many("cold-" + group.getAndIncrement()))) == USERS);
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    rig.close();
    way.close();
  }

  @Test
  void aCallOfManyKeysIsDecidedAlthoughAllOfThemTakeLongerThanOneMay() throws Exception {
    way.delayReplies(REPLY_MS);
    CheckRateLimitsResponse response = stub.checkRateLimits(many("late"));
    assertEquals(USERS, decided(response), response.toString());
  }

  @Test
  void anIdempotencyKeyPaysForNoOtherCost() throws Exception {
    CheckRateLimitRequest.Builder check =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setDimension(Dimension.USER)
            .setEndpoint("/orders")
            .setIdempotencyKey("k");
    assertEquals(9, stub.checkRateLimit(check.setCost(1).build()).getRemaining());
    CheckRateLimitRequest dear = check.setCost(500_000).build();
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> stub.checkRateLimit(dear));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    assertEquals(
        "idempotency_key: used for another cost in the last five minutes (expected: the same"
            + " cost as then, or another key)",
        refused.getStatus().getDescription());
    assertEquals(
        3,
        stub.checkRateLimits(CheckRateLimitsRequest.newBuilder().addChecks(dear).build())
            .getResults(0)
            .getError()
            .getCode());
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + rig.decisionPort() + "/v1/check"))
                    .header("Content-Type", "application/json")
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            "{\"identifier\":\"ann\",\"dimension\":\"USER\",\"endpoint\":"
                                + "\"/orders\",\"idempotency_key\":\"k\",\"cost\":2}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertEquals(400, answer.statusCode(), answer.body());
    assertEquals(9, stub.checkRateLimit(check.setCost(1).build()).getRemaining(), "a repeat");
    assertEquals(
        7,
        stub.checkRateLimit(check.setCost(2).setIdempotencyKey("").build()).getRemaining(),
        "nothing else was charged");
  }

  @Test
  void anIdempotencyKeyPaysForNoOtherCostOfAFurtherLimit() throws Exception {
    reload("limits: [{limit: 10/365d}, {limit: 99/366d, cost: 50}]");
    CheckRateLimitRequest.Builder check =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("cat")
            .setDimension(Dimension.USER)
            .setEndpoint("/orders")
            .setIdempotencyKey("k");
    assertTrue(stub.checkRateLimit(check.setCost(1).build()).getAllowed());
    CheckRateLimitRequest ofRule = check.setCost(0).build();
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> stub.checkRateLimit(ofRule));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    assertTrue(stub.checkRateLimit(check.setCost(1).build()).getAllowed());
  }

  @Test
  void aCheckIsNotChargedAgainAfterAReloadThatNamesItsBudgetsAnew() throws Exception {
    CheckRateLimitRequest.Builder check =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setDimension(Dimension.USER)
            .setEndpoint("/orders")
            .setIdempotencyKey("k");
    assertEquals(9, stub.checkRateLimit(check.build()).getRemaining());
    for (String limits :
        List.of(
            "limits: [{limit: 10/365d}, {limit: 99/366d}]",
            "limits: [{limit: 99/367d}, {limit: 99/368d}, {limit: 10/365d}]",
            "limit: 10/365d")) {
      reload(limits);
      assertEquals(9, stub.checkRateLimit(check.build()).getRemaining(), "repeat: " + limits);
    }
    check.setIdempotencyKey("another");
    assertEquals(8, stub.checkRateLimit(check.build()).getRemaining());
  }

  @Test
  void aRepeatIsToldOfARuleThatHasFewerLimitsThanItsCheckHad() throws Exception {
    reload("limits: [{limit: 9/365d}, {limit: 8/366d}, {limit: 7/367d}]");
    CheckRateLimitRequest.Builder check =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("bob")
            .setDimension(Dimension.USER)
            .setEndpoint("/orders")
            .setIdempotencyKey("k");
    assertEquals(6, stub.checkRateLimit(check.build()).getRemaining());
    reload("limits: [{limit: 9/365d}, {limit: 8/366d}]");
    assertTrue(stub.checkRateLimit(check.build()).getAllowed());
    check.setIdempotencyKey("another");
    assertEquals(6, stub.checkRateLimit(check.build()).getRemaining());
  }

  /** Has the rule of all paths have other limits. */
  private void reload(String limits) {
    rig.publish(
        String.join(
            "\n",
            "decision: on",
            "redis: {nodes: [127.0.0.1:" + redis.port() + "]}",
            "rules:",
            "  - id: default",
            "    mode: exact",
            "    key: header:x-user-id",
            "    on-store-failure: closed",
            "    " + limits,
            ""));
  }

  /** Of each of the users of a group one check. */
  private static CheckRateLimitsRequest many(String group) {
    CheckRateLimitsRequest.Builder many = CheckRateLimitsRequest.newBuilder();
    for (int i = 0; i < USERS; i++) {
      many.addChecks(
          CheckRateLimitRequest.newBuilder()
              .setIdentifier(group + '-' + i)
              .setDimension(Dimension.USER)
              .setEndpoint("/orders"));
    }
    return many.build();
  }

  /** How many checks are the first that the store has allowed their user. */
  private static long decided(CheckRateLimitsResponse response) {
    return response.getResultsList().stream()
        .filter(result -> result.getResponse().getRemaining() == LIMIT - 1)
        .count();
  }
}
