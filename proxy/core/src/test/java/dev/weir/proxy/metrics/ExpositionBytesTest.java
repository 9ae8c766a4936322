package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.request.StoreFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What scrapers get after a fixed course of events, byte for byte: names, helps, types, labels and
 * their order are what dashboards and alerts are written against. The JVM's own figures are left
 * out.
 */
class ExpositionBytesTest {
  private final Metrics metrics = new Metrics();

  /** Every count has another value, and the second loop has counts of its own. */
  private void traffic() {
    LoopMetrics loop = metrics.newLoop();
    times(1, loop::connectionOpened);
    times(2, loop::connectionOpened, loop::connectionClosed);
    times(4, loop::connectionRefused);
    times(5, () -> loop.requestStarted(Protocol.HTTP1));
    times(6, () -> loop.requestStarted(Protocol.HTTP1), loop::requestEnded);
    times(7, loop::held);
    times(8, loop::held, loop::released);
    times(9, loop::tunnelOpened);
    times(10, loop::upstreamOpened);
    times(11, loop::upstreamOpened, loop::upstreamClosed);
    times(12, loop::upstreamWaitBegun);
    times(13, loop::upstreamWaitBegun, loop::upstreamWaitEnded);
    times(14, loop::streamOpened);
    times(15, loop::streamOpened, loop::streamClosed);
    times(16, loop::chargeGivenBack);
    times(17, loop::verdictDropped);
    times(24, loop::holdingBegun);
    times(25, loop::holdingBegun, loop::holdingEnded);
    times(26, loop::holdingUnknown);
    loop.costsMissing(27);
    loop.uncollected(28);
    for (CostFault fault : CostFault.values()) {
      times(80 + fault.ordinal(), () -> loop.costHeaderMisread(fault));
    }
    times(18, loop::responseUnread);
    times(19, () -> loop.listed(false));
    times(20, () -> loop.listed(true));
    for (RefusalReason reason : RefusalReason.values()) {
      times(20 + reason.ordinal(), () -> loop.refused(reason));
    }
    for (int status : new int[] {0, 100, 101, 200, 201, 204, 301, 404, 500, 503, 700}) {
      loop.completed(Protocol.HTTP1, status, 1_000_000, 900_000, 7_000);
    }
    times(3, () -> loop.decided(250));
    http2(loop.http2Clients(), 50);
    http2(loop.http2Services(), 150);
    for (Handshake outcome : Handshake.values()) {
      times(60 + outcome.ordinal(), () -> loop.handshakeEnded(outcome));
      times(70 + outcome.ordinal(), () -> loop.upstreamHandshakeEnded(outcome));
    }
    for (ReplacementCause cause : ReplacementCause.values()) {
      times(90 + cause.ordinal(), () -> loop.upstreamReplaced(cause));
    }
    store(loop.store());
    leases(loop.leases());
    RuleCounters api = loop.rule("api");
    for (Outcome outcome : Outcome.values()) {
      times(1 + outcome.ordinal(), () -> api.add(outcome));
    }
    LoopMetrics other = metrics.newLoop();
    other.rule("api").add(Outcome.ALLOWED);
    other.rule("a.b-c").add(Outcome.REFUSED);
    other.connectionOpened();
    other.store().storeResent();
  }

  private static void http2(Http2Observer http2, int base) {
    times(base + 1, http2::connectionOpened);
    times(base, http2::connectionClosed);
    times(base + 4, http2::streamOpened);
    times(base + 2, http2::streamClosed);
    for (int code = 0; code <= 14; code++) {
      int ofCode = code;
      times(base + 10 + code, () -> http2.resetSent(ofCode));
      times(base + 30 + code, () -> http2.resetReceived(ofCode));
      times(base + 50 + code, () -> http2.goAwaySent(ofCode));
      times(base + 70 + code, () -> http2.goAwayReceived(ofCode));
    }
    for (Glitch glitch : Glitch.values()) {
      times(base + 90 + glitch.ordinal(), () -> http2.glitch(glitch));
    }
  }

  private static void store(StoreMetrics store) {
    store.storeSent(31, 32);
    store.storeSent(33, 34);
    times(2, () -> store.storeAnswered(400_000));
    times(3, store::storeAnsweredLate);
    times(4, store::storeRefused);
    times(5, store::storeResent);
    times(6, () -> store.storeConnected(true));
    times(7, () -> store.storeConnected(false));
    store.storeDebts(8, true);
    store.storeDebts(9, false);
    store.storeRefunds(10, true);
    store.storeRefunds(11, false);
    times(12, store::refusedByProof);
    holds(store.holds());
    times(13, () -> store.fellBack(true));
    times(14, () -> store.fellBack(false));
    for (StoreFault fault : StoreFault.values()) {
      times(40 + fault.ordinal(), () -> store.storeUnavailable(fault));
    }
  }

  private static void holds(HoldMetrics holds) {
    times(31, holds::keyBegun);
    times(30, holds::keyEnded);
    times(32, holds::withoutPlace);
    for (HoldMetrics.Message message : HoldMetrics.Message.values()) {
      times(33 + message.ordinal(), () -> holds.sent(message));
    }
    holds.inHand(137);
    holds.inHand(-100);
    times(38, holds::ended);
    holds.endsTold(36);
    times(39, holds::forgotten);
  }

  private static void leases(LeaseMetrics leases) {
    times(15, () -> leases.asked(false));
    times(16, () -> leases.asked(true));
    leases.kept(117);
    times(18, () -> leases.byHand(2));
    times(19, leases::byStore);
    times(20, leases::bySpacing);
    times(21, () -> leases.served(1));
    times(22, leases::waitedInVain);
    leases.givenBack(121);
    leases.died(122);
  }

  private static void times(int count, Runnable... events) {
    for (int i = 0; i < count; i++) {
      for (Runnable event : events) {
        event.run();
      }
    }
  }

  private String exposed(String accept) {
    String text = new String(metrics.expose(accept).body(), StandardCharsets.UTF_8);
    return text.lines()
        .filter(line -> line.matches("(# [A-Z]+ )?weir_.*|# EOF"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String expected(String name) throws IOException {
    try (InputStream in = ExpositionBytesTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({"text/plain, exposition.txt", "application/openmetrics-text, exposition-open.txt"})
  void areTheSameForTheSameTraffic(String accept, String file) throws IOException {
    traffic();
    metrics.exposeStore();
    metrics.gauge("weir_ready", "1 while the sidecar serves.", () -> 1);
    metrics.counter("weir_table_inserted", "Keys that entered the limit table.", () -> 5);
    assertEquals(expected(file), exposed(accept));
  }

  @ParameterizedTest
  @CsvSource({"text/plain, exposition-without-store.txt"})
  void sayNothingOfAStoreThatThereIsNot(String accept, String file) throws IOException {
    traffic();
    assertEquals(expected(file), exposed(accept));
  }
}
