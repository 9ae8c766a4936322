package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Each way in which an exchange ends, under a limit of 10 to 500 that has found 15 and 20 ms. */
class ServiceSampleTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final int FOUND = 15;
  private static final int IN_FLIGHT = 40;

  private final AdaptiveLimit limit = new AdaptiveLimit(10, 500);
  private long nowNs = SECOND;

  ServiceSampleTest() {
    for (int i = 0; i < 10; i++) {
      limit.answered(20 * MS, 10, nowNs += 100 * MS);
    }
    assertEquals(FOUND, limit.limit());
  }

  /** The limit after some windows of requests that ended in one way. */
  private int after(boolean isDropped, Consumer<RequestEnd> way) {
    for (int i = 0; i < 50; i++) {
      nowNs += 100 * MS;
      RequestEnd end = new RequestEnd().set(How.COMPLETE).status(200);
      way.accept(end);
      ServiceSample.take(end, isDropped, IN_FLIGHT, limit, nowNs);
    }
    return limit.limit();
  }

  private RequestEnd times(RequestEnd end, long forwardedMsAgo, long headMsAgo) {
    long headNs = headMsAgo < 0 ? RequestEnd.NEVER : nowNs - headMsAgo * MS;
    return end.times(nowNs - forwardedMsAgo * MS, headNs, RequestEnd.NEVER);
  }

  @Test
  void theTimeFromRequestToHeadIsTold() {
    int quick = after(false, end -> times(end, 520, 500));
    assertTrue(quick > FOUND, "the body is not the service's");
    assertTrue(after(false, end -> times(end, 580, 500)) < quick);
  }

  @Test
  void dropsAreTold() {
    assertTrue(after(true, end -> times(end.status(503), 21, 20)) < FOUND);
  }

  @Test
  void otherFailuresTellNothing() {
    assertEquals(FOUND, after(false, end -> times(end.status(500), 21, 20)));
    assertEquals(FOUND, after(false, end -> times(end.set(How.SERVICE_GONE), 900, -1)));
    assertEquals(FOUND, after(false, end -> end.set(How.SERVICE_GONE).status(502)));
    assertEquals(FOUND, after(false, end -> end.set(How.REFUSED_HERE).status(503)));
  }

  @Test
  void aTimeOutOfTheServiceIsADropAndOneOfTheClientIsNot() {
    assertEquals(FOUND, after(false, end -> times(end.set(How.TIMED_OUT).status(408), 30_000, -1)));
    assertEquals(FOUND, after(false, end -> times(end.set(How.TIMED_OUT).status(504), 5, -1)));
    assertTrue(after(false, end -> times(end.set(How.TIMED_OUT).status(504), 900, -1)) < FOUND);
  }

  @Test
  void aServiceThatNeverAnsweredIsDroppingIfItTimesOut() {
    AdaptiveLimit fresh = new AdaptiveLimit(1, 500).within(100, 500).within(1, 500);
    for (int i = 0; i < 20; i++) {
      nowNs += 100 * MS;
      RequestEnd end = times(new RequestEnd().set(How.TIMED_OUT).status(504), 900, -1);
      ServiceSample.take(end, false, 100, fresh, nowNs);
      ServiceSample.take(end.set(How.CLIENT_GONE), false, 100, fresh, nowNs);
    }
    assertEquals(0, fresh.unloadedNs(), "no answer, no time");
    assertTrue(fresh.limit() < 100);
  }

  @Test
  void aClientThatLeavesTellsOfALongWaitOnly() {
    assertEquals(FOUND, after(false, end -> times(end.set(How.CLIENT_GONE), 30, -1)));
    assertTrue(after(false, end -> times(end.set(How.CLIENT_GONE), 70, -1)) < FOUND);
  }

  @Test
  void streamsTunnelsAndLongBodiesTellNothing() {
    assertEquals(FOUND, after(false, end -> times(end, 3_600_000, 3_599_000)), "a stream");
    assertEquals(
        FOUND, after(false, end -> times(end.set(How.UPGRADED_AND_CLOSED), 900, 800)), "a tunnel");
    assertEquals(
        FOUND, after(false, end -> times(end.bytes(16 * 1024 + 1, 0), 900, 20)), "an upload");
    assertTrue(after(false, end -> times(end.bytes(16 * 1024, 0), 900, 20)) < FOUND);
  }
}
