package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import java.lang.management.ManagementFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reading a call, deciding on it here and writing its answer allocate nothing. */
@Tag("allocation")
class RateLimiterAllocationTest {
  private static final int ITERATIONS = 50_000;

  /** What the measuring itself may take. */
  private static final int LIMITS = 1_000;

  private static final long NOISE_BYTES = 1_000;

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1_000, 4, 0), 0);
  private final RateLimiter limiter =
      LimiterRig.local(
          tables,
          new Metrics().newLoop(),
          new RateLimitErrors(),
          new LoopClock(),
          LoopClock.unixEpochNs());
  private final RequestReader reader = new RequestReader();
  private final ResponseWriter writer = new ResponseWriter();
  private final RateLimitCall call = new RateLimitCall();
  private final ProtoWriter out = new ProtoWriter(5);
  private final UnsafeBuffer message = new UnsafeBuffer(message());

  private static byte[] message() {
    ProtoWriter to = new ProtoWriter(0).begin();
    to.bytes(1, "edge".getBytes());
    descriptor(to, "tier=free", "user=someone@example.org");
    descriptor(to, "path=/files/a");
    descriptor(to, "detailed=x");
    descriptor(to, "spared=x");
    descriptor(to, "none=x");
    return java.util.Arrays.copyOf(to.array(), to.end());
  }

  private static void descriptor(ProtoWriter to, String... entries) {
    int begun = to.beginMessage(2);
    for (String entry : entries) {
      int entryBegun = to.beginMessage(1);
      to.bytes(1, entry.substring(0, entry.indexOf('=')).getBytes());
      to.bytes(2, entry.substring(entry.indexOf('=') + 1).getBytes());
      to.endMessage(entryBegun);
    }
    to.endMessage(begun);
  }

  private long run() {
    long sum = 0;
    for (int i = 0; i < ITERATIONS; i++) {
      assertNull(reader.read(message, call));
      long nowNs = System.nanoTime() & (1L << 57) - 1 | 1;
      RateLimitVerdict verdict = limiter.ask(call, null, null, nowNs);
      writer.write(verdict, out.begin());
      sum += out.length();
    }
    return sum;
  }

  @Test
  void allocatesNothing() {
    RateLimitConfiguration files =
        Configurations.local(
            """
            domain: edge
            weir: {headers: draft11}
            descriptors:
              - key: tier
                value: free
                descriptors:
                  - key: user
                    rate_limit: {unit: minute, requests_per_unit: 60, name: free_user}
              - key: path
                value: /files/*
                share_threshold: true
                shadow_mode: true
                rate_limit: {unit: second, requests_per_unit: 20, replaces: [{name: other}]}
              - key: detailed
                detailed_metric: true
                rate_limit: {unit: hour, requests_per_unit: 20}
              - key: spared
                weir: {algorithm: gcra}
                rate_limit: {unit: hour, requests_per_unit: 20}
            """);
    limiter.prepare(null, files).run();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = run();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5 && least > NOISE_BYTES; round++) { // the first ones also load
      long before = threads.getCurrentThreadAllocatedBytes();
      sum += run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    tables.close();
    assertTrue(least < NOISE_BYTES, least + " bytes, " + sum);
  }

  @Test
  void leavesNothingOfEachLimitToTheEventLoopWhenFilesChange() {
    RateLimitConfiguration before = limits("a");
    limiter.prepare(null, before).run();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) { // the first ones also load
      RateLimitConfiguration next = limits("b" + round);
      Runnable swap = limiter.prepare(before, next);
      long allocated = threads.getCurrentThreadAllocatedBytes();
      swap.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - allocated);
      before = next;
    }
    assertTrue(least < LIMITS, least + " bytes for " + LIMITS + " limits");
  }

  private static RateLimitConfiguration limits(String key) {
    StringBuilder text = new StringBuilder("domain: many\ndescriptors:\n");
    for (int i = 0; i < LIMITS; i++) {
      text.append("  - {key: ").append(key).append(i);
      text.append(", rate_limit: {unit: day, requests_per_unit: 1}}\n");
    }
    return Configurations.local(text.toString());
  }
}
