package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Limit;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The script on a real server. Every test runs on that of the test library, then on the machine's
 * own where it has one.
 */
@ParameterizedClass
@EnumSource(RedisKind.class)
abstract class ScriptServer {
  static final long WINDOW_US = 3_600_000_000L;
  static final long WINDOW_NS = WINDOW_US * 1000;
  static final String SHIPPED = new String(LuaScript.CHECK.source(), StandardCharsets.UTF_8);

  /** Time is an argument, and keys stay as long as a test runs. */
  static final String TIMED =
      SHIPPED.replace(
          LuaScript.read("clock.lua"),
          LuaScript.read("test-time.lua") + LuaScript.read("test-keep.lua"));

  /** Time is an argument, and keys get the lives that they would have. */
  static final String EXPIRING =
      SHIPPED.replace(LuaScript.read("clock.lua"), LuaScript.read("test-time.lua"));

  static RedisServer redis;

  /** Which server the test runs on. JUnit hands it to {@link #start} as well. */
  @Parameter RedisKind redisKind;

  /** Connected to an empty server for each test. */
  ScriptClient client;

  /** One algorithm, on both sides; every unit takes whole microseconds. */
  enum Algorithm {
    GCRA,
    QUEUE,
    FIXED_WINDOW,
    SLIDING_COUNTER,
    SLIDING_LOG,
    BUCKET_RING;

    ScriptLimit script(long limit) {
      return script(limit, 1);
    }

    Limit limit(long limit) {
      return limit(limit, 1);
    }

    /** A limit whose window is so many hours. */
    ScriptLimit script(long limit, int hours) {
      final long us = hours * WINDOW_US;
      return switch (this) {
        case GCRA -> ScriptLimit.paced(limit, 10, us);
        case QUEUE -> ScriptLimit.queue(limit, 10, us, us / 2);
        case FIXED_WINDOW -> ScriptLimit.fixedWindow(limit, us, 7);
        case SLIDING_COUNTER -> ScriptLimit.slidingCounter(limit, us);
        case SLIDING_LOG -> ScriptLimit.slidingLog(limit, us);
        case BUCKET_RING -> ScriptLimit.bucketRing(limit, us, 10);
      };
    }

    Limit limit(long limit, int hours) {
      final long ns = hours * WINDOW_NS;
      return switch (this) {
        case GCRA -> Limit.gcra(10, ns, limit);
        case QUEUE -> Limit.leakyBucketQueue(limit, 10, ns, ns / 2);
        case FIXED_WINDOW -> Limit.fixedWindow(limit, ns, 7000);
        case SLIDING_COUNTER -> Limit.slidingCounter(limit, ns);
        case SLIDING_LOG -> Limit.slidingLog(limit, ns);
        case BUCKET_RING -> Limit.bucketRing(limit, ns, 10);
      };
    }
  }

  @BeforeParameterizedClassInvocation
  static void start(RedisKind kind) throws Exception {
    redis = kind.start();
  }

  @AfterParameterizedClassInvocation
  static void stop() throws Exception {
    if (redis != null) {
      redis.close();
      redis = null;
    }
  }

  @BeforeEach
  void connect() throws IOException {
    client = new ScriptClient(redis);
    client.text("FLUSHALL");
  }

  @AfterEach
  void disconnect() throws IOException {
    client.close();
  }

  /**
   * How many of so many random steps a test takes: all on the server of the test library, a tenth
   * on the machine's own, where the script is the same and only the server another.
   */
  int randomSteps(int all) {
    return redisKind == RedisKind.EMBEDDED ? all : all / 10;
  }

  /** Decides a call at a time in microseconds. */
  CheckReply at(long nowUs, CheckCall call, String... keys) throws IOException {
    return reply(client.eval(TIMED, Long.toString(nowUs), call, keys), call);
  }

  static CheckReply reply(byte[] bytes, int checks) {
    return reply(bytes, checks, 0, 0);
  }

  static CheckReply reply(byte[] bytes, CheckCall to) {
    return reply(bytes, to.checkCount(), to.leaseCount(), to.holdCount());
  }

  private static CheckReply reply(byte[] bytes, int checks, int leases, int holds) {
    assertTrue(
        bytes[0] != '-' || bytes.length == CheckReply.length(checks, leases, holds),
        () -> new String(bytes, StandardCharsets.UTF_8));
    return new CheckReply().wrap(ByteBuffer.wrap(bytes), checks, leases, holds);
  }
}
