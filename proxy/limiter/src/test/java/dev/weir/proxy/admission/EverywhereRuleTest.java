package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of all requests beside a rule's own: costs, looks and dry runs. */
class EverywhereRuleTest {
  private static final RequestView NO_RULE = TextRequest.of("GET", "/none");
  private static final RequestView OF_RULE = TextRequest.of("GET", "/r");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final AdmissionHandler handler =
      new AdmissionHandler(
          new LocalGate(tables),
          new IdentityReader(
              IdentitySettings.DEFAULT,
              KeyHasher.withKey(1, 2),
              new ClientIpReader(IdentitySettings.DEFAULT),
              1024),
          metrics,
          new LoopClock(),
          channel.eventLoop());

  @AfterEach
  void close() {
    tables.close();
    channel.close();
  }

  private void use(String everywhere, RuleSpec.Builder rule) {
    RuleSpec ofAll = RuleSpec.ofEverywhere(List.of(limit(everywhere).name("all")));
    RuleSpec own = rule.path(PathPattern.parse("/r")).build();
    handler.publish(RuleSet.compile(List.of(own), ofAll, false, RuleSet.EMPTY, 0, 0));
  }

  private static RuleSpec.Builder rule(String rate) {
    return RuleSpec.builder("r").limits(List.of(limit(rate)));
  }

  private static BudgetSpec.Builder limit(String rate) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .key(KeySpec.ALL)
        .rate(Rate.parse(rate));
  }

  private static Question check(RequestView request) {
    return new Question().start(Operation.CHECK, Purpose.DECISION).request(request);
  }

  private Verdict ask(Question question) {
    return handler.ask(question, (ticket, verdict) -> {}, 1).verdict();
  }

  /** What is left of each limit, in the order in which it is told. */
  private List<Long> left(String rule) {
    Verdict verdict =
        ask(new Question().start(Operation.PEEK, Purpose.OPERATOR).rule(rule).wantsRows());
    List<Long> left = new ArrayList<>();
    for (int i = 0; verdict.row(i) != null; i++) {
      left.add(verdict.row(i).remaining());
    }
    return left;
  }

  @Test
  void aGivenCostCountsIfTheLimitsOfAllRequestsAreAskedByTheirName() {
    use("100/365d", rule("100/365d"));
    Question named = new Question().start(Operation.CHECK, Purpose.DECISION).rule("everywhere");
    assertTrue(ask(named.cost(5)).allowed());
    assertEquals(List.of(95L), left("everywhere"));
    // By a path they have their own cost, whether or not it has a rule.
    ask(check(NO_RULE).cost(5));
    assertEquals(List.of(94L), left("everywhere"));
    ask(check(OF_RULE).cost(5));
    assertEquals(List.of(95L, 93L), left("r"));
  }

  private static List<String> rows(Verdict verdict) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < Question.MAX_COSTS; i++) {
      Verdict.Row row = verdict.row(i);
      if (row != null) {
        rows.add(row.policy().name() + " " + row.remaining());
      }
    }
    return rows;
  }

  private static Question ofAnn(Operation operation, String rule) {
    UnsafeBuffer ann = new UnsafeBuffer("ann".getBytes(StandardCharsets.US_ASCII));
    return new Question()
        .start(operation, Purpose.OPERATOR)
        .rule(rule)
        .identity("header:x-user-id", ann, 0, 3)
        .wantsRows();
  }

  @Test
  void aQuestionOfGivenKeysIsAboutTheRulesOwnLimitsOfOneIdentity() {
    KeySpec user = KeySpec.parse("header:x-user-id");
    RuleSpec.Builder rule =
        RuleSpec.builder("r")
            .limits(
                List.of(
                    limit("10/365d").name("of-all"),
                    limit("20/365d").name("of-user").key(user),
                    limit("30/365d").name("of-address").key(KeySpec.IP),
                    limit("40/365d").name("of-both").key(KeySpec.parse("header:x-user-id,ip"))));
    use("100/365d", rule);
    UnsafeBuffer address = new UnsafeBuffer("192.0.2.1".getBytes(StandardCharsets.US_ASCII));
    Question all = ofAnn(Operation.CHECK, "r").identity("ip", address, 0, 9);
    assertTrue(ask(all).allowed());
    assertEquals(List.of("of-user 19"), rows(ask(ofAnn(Operation.PEEK, "r").ofGivenKeys())));
    assertTrue(ask(ofAnn(Operation.RESET, "r").ofGivenKeys()).allowed());
    all.start(Operation.PEEK, Purpose.OPERATOR).rule("r").wantsRows();
    all.identity("ip", address, 0, 9);
    all.identity(
        "header:x-user-id", new UnsafeBuffer("ann".getBytes(StandardCharsets.US_ASCII)), 0, 3);
    assertEquals(
        List.of("of-all 9", "of-user 20", "of-address 29", "of-both 39", "all 99"), rows(ask(all)));
    assertEquals(List.of(), rows(ask(ofAnn(Operation.PEEK, "everywhere").ofGivenKeys())));
  }

  @Test
  void aResetMayBeOfOneLimitBesideOthersOfItsKey() {
    KeySpec user = KeySpec.parse("header:x-user-id");
    use(
        "100/365d",
        RuleSpec.builder("r")
            .limits(
                List.of(
                    limit("10/365d").name("a").key(user), limit("20/365d").name("b").key(user))));
    assertTrue(ask(ofAnn(Operation.CHECK, "r").ofGivenKeys()).allowed());
    assertTrue(ask(ofAnn(Operation.RESET, "r").ofGivenKeys().ofLimit("b")).allowed());
    assertEquals(List.of("a 9", "b 20"), rows(ask(ofAnn(Operation.PEEK, "r").ofGivenKeys())));
    assertTrue(ask(ofAnn(Operation.RESET, "r").ofGivenKeys().ofLimit("none")).allowed());
    assertEquals(List.of("a 9", "b 20"), rows(ask(ofAnn(Operation.PEEK, "r").ofGivenKeys())));
  }

  @Test
  void aLookTellsTheLimitsOfADryRunToo() {
    use("100/365d", rule("10/365d").dryRun(true));
    ask(check(OF_RULE));
    assertEquals(List.of(9L, 99L), left("r"));
    RuleSpec.Builder inPart = RuleSpec.builder("r").key(KeySpec.ALL).enforce(0);
    use("100/365d", inPart.rate(Rate.parse("10/365d")));
    ask(check(OF_RULE));
    assertEquals(List.of(9L, 98L), left("r"));
  }

  @Test
  void aDryRunCountsNothingThatTheLimitsOfAllRequestsRefuse() {
    use("1/365d", rule("3/365d").dryRun(true));
    for (int i = 0; i < 4; i++) {
      assertEquals(i == 0, ask(check(OF_RULE)).allowed());
    }
    assertEquals(List.of(2L, 0L), left("r"));
    assertEquals(1, metrics.asked("r").count(Outcome.ALLOWED));
    assertEquals(3, metrics.asked("r").count(Outcome.REFUSED));
    assertEquals(0, metrics.asked("r").count(Outcome.DRY_RUN_REFUSED));
  }

  @Test
  void aDryRunTellsAndKeepsWhatWasChargedToTheLimitsOfAllRequests() {
    use("9/365d", rule("1/365d").dryRun(true));
    for (int i = 0; i < 3; i++) {
      Verdict verdict = ask(new Question().traffic(OF_RULE));
      assertTrue(verdict.allowed());
      assertEquals("all", verdict.policy().name());
      assertEquals(8, verdict.remaining());
      int kept = handler.keep();
      assertNotEquals(Admission.NOTHING_KEPT, kept);
      assertEquals(Admission.NOTHING_KEPT, handler.keep());
      handler.giveBack(kept);
      assertEquals(List.of(9L), left("everywhere"));
    }
    assertEquals(1, metrics.rule("r").count(Outcome.ALLOWED));
    assertEquals(2, metrics.rule("r").count(Outcome.DRY_RUN_REFUSED));
  }

  @Test
  void aRehearsalAllocatesNothing() {
    use("99/1s", rule("9/1s").dryRun(true));
    Question question = new Question();
    VerdictListener nobody = (ticket, verdict) -> {};
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 20_000; i++) {
        handler.ask(question.traffic(OF_RULE), nobody, 1 + 1_000_000L * i);
        int kept = i % 2 == 0 ? handler.keep() : Admission.NOTHING_KEPT;
        if (kept != Admission.NOTHING_KEPT) {
          handler.letStand(kept);
        }
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least, "bytes allocated for 20,000 requests");
  }
}
