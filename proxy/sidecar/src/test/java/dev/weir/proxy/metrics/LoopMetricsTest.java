package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LoopMetricsTest {
  private static final int REQUESTS = 200_000;
  private static final Protocol[] PROTOCOLS = Protocol.values();

  /** What the measuring itself may take. */
  private static final long NOISE_BYTES = 1_000;

  private final Metrics metrics = new Metrics();

  private static void request(LoopMetrics loop, RuleCounters rule, int i) {
    loop.connectionOpened();
    Protocol protocol = PROTOCOLS[i % PROTOCOLS.length];
    loop.handshakeEnded(Handshake.FULL);
    http2(loop.http2Clients());
    http2(loop.http2Services());
    loop.requestStarted(protocol);
    loop.store().storeAnswered(1_000);
    loop.decided(i);
    loop.held();
    loop.released();
    rule.add(Outcome.ALLOWED);
    rule.add(Outcome.REFUSED);
    rule.add(Outcome.DRY_RUN_REFUSED);
    rule.add(Outcome.DENIED);
    rule.add(Outcome.UNLIMITED);
    rule.add(Outcome.IDENTITY_REFUSED);
    rule.add(Outcome.STORE_UNAVAILABLE);
    rule.add(Outcome.IDEMPOTENCY_REFUSED);
    rule.add(Outcome.TOO_MANY_PARKED);
    rule.add(Outcome.BANNED);
    loop.refused(RefusalReason.OVER_LIMIT);
    loop.chargeGivenBack();
    loop.upstreamWaitBegun();
    loop.upstreamWaitEnded();
    loop.upstreamOpened();
    loop.upstreamHandshakeEnded(Handshake.RESUMED);
    loop.streamOpened();
    loop.streamClosed();
    loop.completed(protocol, 200 + i % 400, 1_000_000L + i, 900_000L + i, 7L * i);
    loop.upstreamClosed();
    loop.tunnelOpened();
    loop.responseUnread();
    loop.verdictDropped();
    loop.holdingBegun();
    loop.holdingEnded();
    loop.holdingUnknown();
    loop.costsMissing(1);
    loop.uncollected(1);
    loop.connectionRefused();
    loop.requestEnded();
    loop.connectionClosed();
  }

  private static void http2(Http2Observer http2) {
    http2.connectionOpened();
    http2.streamOpened();
    http2.glitch(Glitch.PING);
    http2.resetSent(ErrorCode.CANCEL);
    http2.resetReceived(ErrorCode.CANCEL);
    http2.streamClosed();
    http2.goAwaySent(ErrorCode.NO_ERROR);
    http2.goAwayReceived(ErrorCode.NO_ERROR);
    http2.connectionClosed();
  }

  private static void run(LoopMetrics loop, RuleCounters rule) {
    for (int i = 0; i < REQUESTS; i++) {
      request(loop, rule, i);
    }
  }

  @Test
  void writingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    LoopMetrics loop = metrics.newLoop();
    RuleCounters rule = loop.rule("all");
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5 && least > NOISE_BYTES; round++) { // the first ones also load
      long before = threads.getCurrentThreadAllocatedBytes();
      run(loop, rule);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < NOISE_BYTES, least + " bytes");
  }

  @Test
  void losesNothingWhenReadWhileTwoLoopsWrite() throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    Thread[] writers = new Thread[2];
    for (int i = 0; i < writers.length; i++) {
      LoopMetrics loop = metrics.newLoop();
      writers[i] =
          new Thread(
              () -> {
                try {
                  start.await();
                } catch (InterruptedException stop) {
                  return;
                }
                run(loop, loop.rule("all"));
              });
      writers[i].start();
    }
    start.countDown();
    long lastCount = 0;
    double lastSum = 0;
    while (writers[0].isAlive() || writers[1].isAlive()) {
      LatencySummary total = metrics.latencies().summary(LatencyStep.TOTAL, 0.5);
      assertTrue(total.count() >= lastCount, "the count never falls");
      assertTrue(total.sumNs() >= lastSum, "the sum never falls");
      assertTrue(metrics.sum(LoopFigures.REQUESTS_IN_FLIGHT) >= 0);
      lastCount = total.count();
      lastSum = total.sumNs();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    long all = 2L * REQUESTS;
    for (LoopCounter counter : LoopFigures.counters()) {
      if (counter.label() == null
          && !LoopFigures.isOfStore(counter)
          && !LoopFigures.isOfDecisions(counter.name())) {
        assertEquals(all, metrics.sum(counter.word()), counter.name());
      }
    }
    for (OpenGauge gauge : LoopFigures.gauges()) {
      assertEquals(0, metrics.sum(gauge), gauge.name());
    }
    for (LatencyStep step : LatencyStep.values()) {
      boolean isOfLeases = step == LatencyStep.HAND || step == LatencyStep.ASKED;
      long expected = isOfLeases ? 0 : all;
      assertEquals(expected, metrics.latencies().summary(step).count(), step.name());
    }
    int overLimit = LoopFigures.REFUSALS.word() + RefusalReason.OVER_LIMIT.ordinal();
    assertEquals(all, metrics.sum(overLimit));
    for (Outcome outcome : Outcome.values()) {
      assertEquals(all, metrics.decisions().get("all")[outcome.ordinal()], outcome.name());
    }
    long byProtocol = 0;
    for (Protocol protocol : Protocol.values()) {
      byProtocol += metrics.latencies().summary(LatencyStep.TOTAL, protocol).count();
    }
    assertEquals(all, byProtocol);
    double sumNs = 2.0 * REQUESTS * 1_000_000 + (double) REQUESTS * (REQUESTS - 1);
    assertEquals(sumNs, metrics.latencies().summary(LatencyStep.TOTAL).sumNs());
  }

  @Test
  void countsResponsesByStatusClass() {
    LoopMetrics loop = metrics.newLoop();
    int[] statuses = {0, 99, 100, 199, 200, 204, 304, 404, 499, 500, 599, 600, 999, -1};
    for (int status : statuses) {
      loop.completed(Protocol.HTTP1, status, 1, 1, 1);
    }
    long[] expected = {5, 2, 2, 1, 2, 2};
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], metrics.sum(LoopFigures.RESPONSES.word() + i), i + "xx");
    }
  }

  @Test
  void countsRequestsAndTimesByProtocol() {
    LoopMetrics loop = metrics.newLoop();
    loop.requestStarted(Protocol.HTTP1);
    loop.requestStarted(Protocol.GRPC);
    loop.requestStarted(Protocol.GRPC);
    loop.completed(Protocol.GRPC, 200, 3_000, 2_000, 1_000);
    assertEquals(3, metrics.sum(LoopFigures.REQUESTS.word()));
    long[] expected = {1, 0, 2};
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], metrics.sum(LoopFigures.REQUESTS_BY_PROTOCOL.word() + i));
    }
    assertEquals(List.of(Protocol.GRPC), metrics.latencies().protocols());
    LatencySummary calls = metrics.latencies().summary(LatencyStep.TOTAL, Protocol.GRPC, 0.5);
    assertEquals(1, calls.count());
    assertEquals(3_000, calls.sumNs());
    assertEquals(3_000, calls.valuesNs()[0], 10);
    assertEquals(1, metrics.latencies().summary(LatencyStep.TOTAL).count());
  }

  @Test
  void countsErrorCodesThatRfc9113DoesNotKnowAsOthers() {
    LoopMetrics loop = metrics.newLoop();
    int[] codes = {ErrorCode.NO_ERROR, 0xd, 0xe, -1, Integer.MAX_VALUE};
    for (int code : codes) {
      loop.http2Clients().resetReceived(code);
      loop.http2Services().goAwayReceived(code);
    }
    for (LoopCounter counter :
        List.of(
            LoopFigures.HTTP2_CLIENTS.resetsReceived(),
            LoopFigures.HTTP2_SERVICES.goAwaysReceived())) {
      assertEquals(1, metrics.sum(counter.word()), "no_error");
      assertEquals(1, metrics.sum(counter.word() + 0xd), "http_1_1_required");
      assertEquals(3, metrics.sum(counter.word() + 0xe), "other");
    }
  }

  @Test
  void keepsARulesCountersAcrossReloads() {
    LoopMetrics loop = metrics.newLoop();
    RuleCounters before = loop.rule("a");
    before.add(Outcome.ALLOWED);
    loop.rule("b").add(Outcome.REFUSED);
    assertSame(before, loop.rule("a"));
    loop.rule("a").add(Outcome.ALLOWED);
    assertEquals(2, metrics.decisions().get("a")[Outcome.ALLOWED.ordinal()]);
    assertEquals(1, metrics.decisions().get("b")[Outcome.REFUSED.ordinal()]);
  }
}
