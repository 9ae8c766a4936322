package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.TopReport.By;
import dev.weir.proxy.admission.TopReport.Row;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.HeavyHitters;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which keys an event loop is asked about and refuses most. */
class TopKeysTest {
  private static final KeySpec USER = KeySpec.parse("header:x-user");
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(4000, 1000, 0), 0);
  private final KeyHasher hasher = KeyHasher.withKey(1, 2);
  private final List<TopKeys> loops = new ArrayList<>();
  private final Question question = new Question();
  private final RequestEnd end = new RequestEnd();
  private final LateGate late = new LateGate();
  private long nowNs = 1;
  private AdmissionHandler handler = handler(new LocalGate(tables));

  /** Refuses when the test says so. */
  private static final class LateGate implements Gate {
    private final List<Long> tickets = new ArrayList<>();
    private Outcome outcome;
    private Verdict refusal;
    private boolean isLate = true;

    @Override
    public Verdict ask(long ticket, Charges charges, long nowNs, Outcome asker) {
      tickets.add(ticket);
      outcome = asker;
      refusal =
          new Verdict()
              .refuse(
                  RefusalReason.OVER_LIMIT, charges.group(0).budget(0).policy(), 1, 0, 1000, 1000);
      return isLate ? null : refusal;
    }
  }

  /** An event loop of its own. */
  private AdmissionHandler handler(Gate gate) {
    IdentitySettings settings = IdentitySettings.DEFAULT;
    AdmissionHandler made =
        new AdmissionHandler(
            gate,
            new IdentityReader(settings, hasher, new ClientIpReader(settings), 1024),
            new Metrics().newLoop(),
            new LoopClock(() -> nowNs),
            channel.eventLoop());
    TopKeys top = new TopKeys(StoreNames.DEFAULT.identityText(), 9, nowNs);
    made.count(top);
    loops.add(top);
    return made;
  }

  @AfterEach
  void close() {
    tables.close();
    channel.close();
  }

  private static RuleSpec.Builder rule(String id, String rate) {
    return RuleSpec.builder(id)
        .rate(Rate.parse(rate))
        .key(USER)
        .algorithm(Algorithm.FIXED_WINDOW)
        .path(PathPattern.parse("/" + id));
  }

  private static BudgetSpec.Builder budget(String rate, KeySpec key) {
    return new BudgetSpec.Builder()
        .rate(Rate.parse(rate))
        .key(key)
        .algorithm(Algorithm.FIXED_WINDOW);
  }

  private void use(RuleSpec.Builder... rules) {
    List<RuleSpec> all = List.of(rules).stream().map(RuleSpec.Builder::build).toList();
    handler.publish(RuleSet.compile(all, false, RuleSet.EMPTY, 0));
  }

  private Verdict ask(String rule, String user, String... more) {
    List<String> fields = new ArrayList<>(List.of("x-user", user));
    fields.addAll(List.of(more));
    question.traffic(TextRequest.of("GET", "/" + rule, fields.toArray(String[]::new)));
    return handler.ask(question, (ticket, verdict) -> {}, nowNs).verdict();
  }

  private void ask(int times, String rule, String user) {
    for (int i = 0; i < times; i++) {
      ask(rule, user);
    }
  }

  private TopReport report(By by, String rule, int most) {
    List<TopKeys.Counted> counted = loops.stream().map(loop -> loop.copy(nowNs)).toList();
    return TopReport.of(counted, by, rule, most);
  }

  private List<String> top(By by, String rule) {
    return report(by, rule, 100).rows().stream().map(TopKeysTest::text).toList();
  }

  private static String text(Row row) {
    return String.join(
        " ",
        row.rule(),
        row.key(),
        row.identity(),
        String.valueOf(row.requests().count()),
        String.valueOf(row.refused().count()));
  }

  @Test
  void listsKeysByRequestsAndByRefusalsOfEachRule() {
    use(rule("a", "3/365d"), rule("b", "2/365d"));
    ask(9, "a", "ann");
    ask(3, "a", "bob");
    ask(4, "b", "bob");
    ask("c", "nobody's rule");
    assertEquals(
        List.of("a header:x-user ann 9 6", "b header:x-user bob 4 2", "a header:x-user bob 3 0"),
        top(By.REQUESTS, null));
    assertEquals(
        List.of("a header:x-user ann 9 6", "b header:x-user bob 4 2"), top(By.REFUSED, null));
    assertEquals(List.of("b header:x-user bob 4 2"), top(By.REQUESTS, "b"));
    assertEquals(List.of(), top(By.REFUSED, "c"));
    TopReport first = report(By.REQUESTS, null, 1);
    assertEquals(1, first.rows().size());
    assertEquals(16, first.requests());
    assertEquals(8, first.refused());
    first.rows().forEach(row -> assertEquals(0, row.requests().error() + row.refused().error()));
  }

  @Test
  void countsEachKeyOfARuleOnceAndARefusalForThatOfTheLimitThatRefused() {
    KeySpec org = KeySpec.parse("header:x-org");
    use(
        RuleSpec.builder("r")
            .path(PathPattern.parse("/r"))
            .limits(
                List.of(
                    budget("9/365d", USER),
                    budget("9/730d", USER),
                    budget("2/365d", org),
                    budget("99/365d", KeySpec.ALL))));
    for (int i = 0; i < 3; i++) {
      ask("r", "ann", "x-org", "acme");
    }
    assertEquals(
        List.of("r header:x-org acme 3 1", "r all all 3 0", "r header:x-user ann 3 0"),
        top(By.REQUESTS, null));
    assertEquals(List.of("r header:x-org acme 3 1"), top(By.REFUSED, null));
  }

  @Test
  void countsAKeyOfSeveralModesOnce() {
    handler = handler(late);
    use(
        RuleSpec.builder("r")
            .path(PathPattern.parse("/r"))
            .limits(List.of(budget("9/365d", USER), budget("9/365d", USER).mode(Mode.EXACT))));
    ask("r", "ann");
    assertEquals(List.of("r header:x-user ann 1 0"), top(By.REQUESTS, null));
  }

  @Test
  void countsWhoIsBannedAsRefused() {
    BanSpec ban = new BanSpec(BanSpec.parseAfter("1/15m"), List.of(SECOND_NS), BanSpec.FORGET_NS);
    use(rule("a", "1/365d").ban(ban));
    ask(5, "a", "ann");
    assertEquals(RefusalReason.BANNED, ask("a", "ann").refusal());
    assertEquals(List.of("a header:x-user ann 6 5"), top(By.REFUSED, null));
  }

  @Test
  void countsADryRunsRefusalsThatLetPass() {
    use(rule("a", "1/365d").dryRun(true));
    ask(3, "a", "ann");
    assertEquals(List.of("a header:x-user ann 3 2"), top(By.REFUSED, null));
  }

  @Test
  void countsWhatIsAskedAheadAndNoLooks() {
    use(rule("a", "1/365d"));
    Question[] ahead = {new Question(), new Question()};
    for (Question one : ahead) {
      one.traffic(TextRequest.of("GET", "/a", "x-user", "ann"));
    }
    handler.prefetch(ahead, 2);
    for (Question one : ahead) {
      handler.ask(one, null, nowNs);
    }
    question.start(Operation.PEEK, Purpose.DECISION);
    handler.ask(question.request(TextRequest.of("GET", "/a", "x-user", "bob")), null, nowNs);
    question.start(Operation.CHECK, Purpose.OPERATOR);
    handler.ask(question.request(TextRequest.of("GET", "/a", "x-user", "eve")), null, nowNs);
    assertEquals(List.of("a header:x-user ann 2 1"), top(By.REQUESTS, null));
  }

  @Test
  void countsLateRefusalsAndForgetsWhoHasLeft() {
    handler = handler(late);
    use(rule("a", "1/365d"));
    for (int i = 0; i < 2 * TopKeys.MAX_SAMPLES; i++) {
      nowNs += SECOND_NS / 100;
      ask("a", "ann");
      handler.ended(late.tickets.get(i), end);
    }
    nowNs += 2 * HeavyHitters.WINDOW_NS;
    ask(3, "a", "ann");
    for (int i = 3; i > 1; i--) {
      late.outcome.settle(late.tickets.get(late.tickets.size() - i), late.refusal);
    }
    assertEquals(List.of("a header:x-user ann 3 2"), top(By.REQUESTS, null));
  }

  @Test
  void countsAllQuestionsAndTheLateRefusalsOfSoManyAtATime() {
    handler = handler(late);
    use(rule("a", "1/365d"));
    int times = TopKeys.MAX_SAMPLES + 10;
    for (int i = 0; i < times; i++) {
      nowNs += SECOND_NS / 100;
      ask("a", "ann");
    }
    assertEquals(List.of("a header:x-user ann " + times + " 0"), top(By.REQUESTS, null));
    late.isLate = false;
    ask(5, "a", "bob");
    assertEquals(List.of("a header:x-user bob 5 5"), top(By.REFUSED, null), "at once");
    late.tickets.subList(0, times).forEach(ticket -> late.outcome.settle(ticket, late.refusal));
    assertEquals(
        List.of(
            "a header:x-user ann " + times + " " + TopKeys.MAX_SAMPLES, "a header:x-user bob 5 5"),
        top(By.REQUESTS, null));
  }

  @Test
  void aRefusalOfAnOtherKindIsNotOfTheKey() {
    handler = handler(late);
    use(rule("a", "1/365d"));
    ask("a", "ann");
    late.outcome.settle(late.tickets.get(0), new Verdict().refuse(RefusalReason.STORE_UNAVAILABLE));
    assertEquals(List.of(), top(By.REFUSED, null));
  }

  @Test
  void addsUpWhatEventLoopsHaveCounted() {
    use(rule("a", "2/365d"));
    ask(3, "a", "ann");
    handler = handler(new LocalGate(tables));
    use(rule("a", "2/365d"));
    ask(2, "a", "ann");
    ask(4, "a", "bob");
    List<String> rows = top(By.REQUESTS, null);
    assertTrue(rows.get(0).startsWith("a header:x-user ann 5 "), rows.toString());
    assertTrue(rows.get(1).startsWith("a header:x-user bob 4 "), rows.toString());
  }

  @Test
  void samplesWhatIsBeyondSoManyOfASecond() {
    use(rule("a", "1000/365d"));
    int times = 300_000;
    for (int i = 0; i < times; i++) {
      ask("a", i % 3 == 0 ? "ann" : "bob");
    }
    TopReport report = report(By.REQUESTS, null, 2);
    assertEquals("bob", report.rows().get(0).identity());
    for (Row row : report.rows()) {
      int truly = row.identity().equals("ann") ? times / 3 : times * 2 / 3;
      assertTrue(row.requests().error() < times / 20, row.toString());
      assertTrue(
          Math.abs(row.requests().count() - truly) <= row.requests().error(), row.toString());
      assertTrue(
          Math.abs(row.refused().count() - truly + 1000) <= row.refused().error(), row.toString());
    }
    nowNs += 2 * HeavyHitters.WINDOW_NS;
    ask(2 * TopKeys.ONE_IN, "a", "eve");
    nowNs += 2 * HeavyHitters.WINDOW_NS;
    ask(500, "a", "eve");
    assertEquals(List.of("a header:x-user eve 500 0"), top(By.REQUESTS, null));
    assertNull(ask("c", "eve").policy());
  }

  @Test
  void hidesSecretsAndShowsOthersAsTheStoreDoes() {
    use(rule("a", "9/365d").key(KeySpec.parse("header:authorization")), rule("b", "9/365d"));
    ask("a", "-", "authorization", "Bearer secret");
    ask("b", "a:b c");
    List<String> rows = top(By.REQUESTS, null);
    assertTrue(rows.get(0).matches("a header:authorization #[0-9a-f]{32} 1 0"), rows.get(0));
    assertEquals("b header:x-user a%3Ab%20c 1 0", rows.get(1));
  }
}
