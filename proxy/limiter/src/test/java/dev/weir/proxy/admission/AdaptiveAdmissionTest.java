package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit of requests in flight that finds its number, from verdict to end. */
class AdaptiveAdmissionTest {
  private static final RequestView REQUEST = TextRequest.of("GET", "/r");
  private static final long MS = 1_000_000;
  private static final int MIN = 10;
  private static final int MAX = 60;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
  private final RequestEnd end = new RequestEnd();
  private final Question question = new Question();
  private final int[] holdings = new int[2 * MAX];
  private long nowNs = 1_000 * MS;
  private RuleSet rules = RuleSet.EMPTY;
  private final AdmissionHandler handler =
      new AdmissionHandler(
          new LocalGate(tables),
          new IdentityReader(
              IdentitySettings.DEFAULT,
              KeyHasher.withKey(1, 2),
              new ClientIpReader(IdentitySettings.DEFAULT),
              1024),
          new Metrics().newLoop(),
          new LoopClock(() -> nowNs),
          channel.eventLoop());

  @AfterEach
  void close() {
    tables.close();
    channel.close();
  }

  private void use(RuleSpec.Builder rule) {
    rules =
        RuleSet.compile(
            List.of(rule.path(PathPattern.parse("/r")).build()), null, false, rules, 0, 1);
    handler.publish(rules);
    rules.succeed();
  }

  private static RuleSpec.Builder rule() {
    return RuleSpec.builder("r").key(KeySpec.ALL).adaptive(MIN, MAX);
  }

  private Verdict ask() {
    return handler.ask(question.traffic(REQUEST), (ticket, verdict) -> {}, nowNs).verdict();
  }

  /** Sends requests at once until one is refused, answers each after a time, and counts them. */
  private int round(long timeMs, int status) {
    int count = 0;
    for (Verdict verdict = ask(); verdict.allowed() && count < MAX + 1; verdict = ask()) {
      holdings[count++] = verdict.holding();
    }
    long sentNs = nowNs;
    nowNs += timeMs * MS;
    for (int i = 0; i < count; i++) {
      handler.ended(
          Admission.SETTLED,
          end.set(How.COMPLETE)
              .status(status)
              .times(sentNs, nowNs, nowNs)
              .holding(holdings[i])
              .costReported(status == 503 ? 1L : 0L));
    }
    return count;
  }

  private int rounds(int count, long timeMs, int status) {
    for (int i = 0; i < count; i++) {
      round(timeMs, status);
    }
    return round(timeMs, status);
  }

  /** Example 5 of rules: the service slows from 20 to 60 ms. */
  @Test
  void fallsWhileTheServiceIsSlowAndRisesWhenItIsQuickAgain() {
    use(rule());
    assertEquals(MIN, round(20, 200));
    assertEquals(MAX, rounds(3_000, 20, 200), "for a minute");
    assertEquals(MIN, rounds(300, 60, 200));
    assertTrue(rounds(1_000, 20, 200) > 40);
  }

  @Test
  void fallsWhileTheServiceAnswers503() {
    use(rule());
    assertEquals(MAX, rounds(100, 20, 200));
    assertEquals(MIN, rounds(300, 20, 503));
  }

  @Test
  void whatDoesNotFitIsRefusedAsOverloadOfTheServiceAndIsChargedNothing() {
    use(rule().rate(Rate.parse("100/365d")));
    for (int i = 0; i < MIN; i++) {
      assertTrue(ask().allowed());
    }
    Verdict refused = ask();
    assertFalse(refused.allowed());
    assertEquals(RefusalReason.SERVICE_OVERLOADED, refused.refusal());
    assertEquals(503, refused.httpStatus());
    assertEquals(1_000 * MS, refused.retryAfterNs());
    assertTrue(refused.isOfOthers(), "nobody is banned for it");
    Verdict look =
        handler
            .ask(
                question.start(Operation.PEEK, Purpose.OPERATOR).rule("r").wantsRows(),
                (ticket, told) -> {},
                nowNs)
            .verdict();
    assertEquals(90, look.row(0).remaining());
    assertEquals(MIN, look.row(1).limit());
    assertEquals(0, look.row(1).remaining());
  }

  @Test
  void aReloadKeepsTheNumberAndWhatIsInFlight() {
    use(rule());
    assertEquals(MAX, rounds(100, 20, 200));
    int held = ask().holding();
    use(RuleSpec.builder("r").key(KeySpec.ALL).adaptive(MIN, 40));
    assertEquals(39, round(20, 200));
    handler.ended(Admission.SETTLED, end.set(How.CLIENT_GONE).holding(held));
    assertEquals(40, round(20, 200));
  }

  @Test
  void aSlotThatWasTakenUnderAFixedNumberIsReleased() {
    use(RuleSpec.builder("r").key(KeySpec.ALL).concurrency(MIN));
    int held = ask().holding();
    use(rule());
    handler.ended(Admission.SETTLED, end.set(How.COMPLETE).status(200).holding(held));
    assertEquals(0, handler.holdings.takenCount());
    assertEquals(MIN, round(20, 200));
  }

  @Test
  void aCheckWithoutAnEndIsNotLimited() {
    use(rule());
    for (int i = 0; i < 2 * MIN; i++) {
      Question check = question.start(Operation.CHECK, Purpose.DECISION).rule("r");
      assertTrue(handler.ask(check, (ticket, told) -> {}, nowNs).verdict().allowed());
    }
    assertEquals(MIN, round(20, 200));
  }

  @Test
  void allocatesNothing() {
    use(rule());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = Long.MAX_VALUE;
    for (int attempt = 0; attempt < 20 && allocated > 0; attempt++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      rounds(100, 20, 200);
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    // The first reading of the counter allocates, which is not the gate's doing.
    assertEquals(0, allocated);
  }
}
