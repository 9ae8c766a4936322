package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.LogLines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
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
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that ban who was refused too often: {@code ban}. */
class BanRuleTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
  private static final KeySpec USER = KeySpec.parse("header:x-user-id");
  private static final KeySpec ORG = KeySpec.parse("header:x-org");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(4000, 1000, 0), 0);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final Question question = new Question();
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
  private RuleSet rules = RuleSet.EMPTY;
  private long nowNs = 1;

  @AfterEach
  void close() {
    tables.close();
    channel.close();
  }

  private static BanSpec ban(String after, long... forNs) {
    List<Long> times = Arrays.stream(forNs).boxed().toList();
    return new BanSpec(BanSpec.parseAfter(after), times, BanSpec.FORGET_NS);
  }

  /** A limit of which nothing comes back. */
  private static RuleSpec.Builder rule(BanSpec ban) {
    RuleSpec.Builder rule = RuleSpec.builder("r").ban(ban);
    rule.key(USER).rate(Rate.parse("2/365d")).algorithm(Algorithm.FIXED_WINDOW);
    return rule;
  }

  private void use(RuleSpec.Builder rule) {
    rules = RuleSet.compile(List.of(rule.build()), false, rules, 0);
    handler.publish(rules);
  }

  private Verdict ask(Operation operation, String user) {
    UnsafeBuffer bytes = new UnsafeBuffer(user.getBytes(StandardCharsets.US_ASCII));
    question.start(operation, Purpose.DECISION).rule("r");
    question.identity("header:x-user-id", bytes, 0, bytes.capacity());
    question.identity("header:x-org", bytes, 0, 1);
    return handler.ask(question, null, nowNs).verdict();
  }

  private RefusalReason check(String user) {
    return ask(Operation.CHECK, user).refusal();
  }

  private void refuse(String user, int count) {
    for (int i = 0; i < count; i++) {
      assertEquals(RefusalReason.OVER_LIMIT, check(user), "refusal " + i);
    }
  }

  /** Uses up the limit, and is refused until a ban begins. */
  private void banned(String user, int after) {
    assertNull(check(user));
    assertNull(check(user));
    refuse(user, after - 1);
    assertEquals(RefusalReason.BANNED, check(user));
  }

  @Test
  void theTwentiethRefusalBansFor15MinutesAndTheNextTimeForAnHour() {
    use(rule(ban("20/15m", 15 * MINUTE_NS, HOUR_NS)));
    assertNull(check("ann"));
    assertNull(check("ann"));
    refuse("ann", 19);
    Verdict verdict = ask(Operation.CHECK, "ann");
    assertEquals(RefusalReason.BANNED, verdict.refusal());
    assertEquals(15 * MINUTE_NS, verdict.retryAfterNs(), 2e6);
    assertEquals("r", verdict.policy().name());
    assertEquals(0, verdict.remaining());
    assertEquals(2, verdict.limit());
    assertNull(check("bob"), "others are not banned");
    nowNs += 15 * MINUTE_NS - SECOND_NS;
    for (int i = 0; i < 100; i++) {
      assertEquals(RefusalReason.BANNED, check("ann"), "the end stays, whoever asks meanwhile");
    }
    assertEquals(SECOND_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6);
    nowNs += SECOND_NS + 2_000_000;
    refuse("ann", 19);
    verdict = ask(Operation.CHECK, "ann");
    assertEquals(HOUR_NS, verdict.retryAfterNs(), 2e6);
    nowNs += HOUR_NS + 2_000_000;
    refuse("ann", 19);
    assertEquals(HOUR_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6, "the last for all");
    nowNs += HOUR_NS + BanSpec.FORGET_NS + 2_000_000;
    refuse("ann", 19);
    assertEquals(15 * MINUTE_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6, "forgotten");
    assertEquals(4 * 20, metrics.asked("r").count(Outcome.REFUSED));
    assertEquals(101, metrics.asked("r").count(Outcome.BANNED));
  }

  private boolean set(String user, long forNs) {
    UnsafeBuffer bytes = new UnsafeBuffer(user.getBytes(StandardCharsets.US_ASCII));
    question.start(Operation.PEEK, Purpose.OPERATOR).rule("r").ofGivenKeys();
    question.identity("header:x-user-id", bytes, 0, bytes.capacity());
    return handler.ban(question, forNs, nowNs);
  }

  @Test
  void anOperatorBansOneUserUntilATimeAtLeastAndEndsIt() {
    use(rule(ban("2/1m", HOUR_NS)));
    assertTrue(set("ann", 2 * HOUR_NS));
    assertEquals(2 * HOUR_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6);
    assertNull(check("bob"));
    assertTrue(set("ann", HOUR_NS));
    assertEquals(2 * HOUR_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6, "a later end stays");
    assertTrue(set("ann", 3 * HOUR_NS));
    assertEquals(3 * HOUR_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6);
    assertTrue(set("ann", 0));
    assertNull(check("ann"));
    assertEquals(1, ask(Operation.PEEK, "ann").remaining(), "only the ban has ended");
  }

  @Test
  void anOperatorBansNobodyUnderARuleThatBansNobody() {
    use(rule(null));
    assertFalse(set("ann", HOUR_NS));
    use(rule(ban("2/1m", HOUR_NS)).key(KeySpec.parse("header:x-user-id,header:x-org")));
    assertFalse(set("ann", HOUR_NS), "of an organisation and a user there are many");
    assertNull(check("ann"));
  }

  @Test
  void nothingIsChargedWhileBanned() {
    RuleSpec.Builder rule = rule(ban("2/1m", HOUR_NS));
    use(rule.rate(Rate.parse("2/1h")).algorithm(Algorithm.GCRA));
    banned("ann", 2);
    for (int i = 0; i < 50; i++) {
      assertEquals(RefusalReason.BANNED, check("ann"));
    }
    nowNs += HOUR_NS + 2_000_000;
    assertNull(check("ann"));
    assertNull(check("ann"));
  }

  @ParameterizedTest
  @CsvSource({"59, true", "60, false"})
  void refusalsCountInAWindowFromTheFirstOn(int seconds, boolean bans) {
    use(rule(ban("3/1m", HOUR_NS)));
    check("ann");
    check("ann");
    refuse("ann", 2);
    nowNs += seconds * SECOND_NS;
    assertEquals(bans ? RefusalReason.BANNED : RefusalReason.OVER_LIMIT, check("ann"));
  }

  @Test
  void aDryRunBansNobodyAndRefusesNobody() {
    use(rule(ban("2/1m", HOUR_NS)));
    banned("ann", 2);
    use(rule(ban("2/1m", HOUR_NS)).dryRun(true));
    for (int i = 0; i < 10; i++) {
      assertNull(check("ann"));
      assertNull(check("bob"));
    }
    use(rule(ban("2/1m", HOUR_NS)));
    assertEquals(RefusalReason.BANNED, check("ann"), "bans stay when a rule changes");
    assertNull(check("bob"));
  }

  @Test
  void bansOnlyInThePartThatIsEnforced() {
    use(rule(ban("2/1m", HOUR_NS)).enforce(500));
    int banned = 0;
    for (int user = 0; user < 100; user++) {
      RefusalReason last = null;
      for (int i = 0; i < 10; i++) {
        last = check("user-" + user);
      }
      assertTrue(last == null || last == RefusalReason.BANNED);
      banned += last == null ? 0 : 1;
    }
    assertTrue(banned > 30 && banned < 70, "" + banned);
  }

  @Test
  void bansStayWhenTheRuleChangesAndAreGoneWithoutBan() {
    use(rule(ban("2/1m", HOUR_NS)));
    banned("ann", 2);
    RuleSpec.Builder other = rule(ban("9/1m", SECOND_NS));
    use(other.rate(Rate.parse("500/1s")).algorithm(Algorithm.GCRA));
    assertEquals(RefusalReason.BANNED, check("ann"));
    RuleSpec.Builder without = rule(null);
    use(without.rate(Rate.parse("500/1s")).algorithm(Algorithm.GCRA));
    assertNull(check("ann"));
  }

  @Test
  void aResetEndsTheBanAndForgetsEarlierOnes() {
    use(rule(ban("2/1m", MINUTE_NS, HOUR_NS)));
    banned("ann", 2);
    assertTrue(ask(Operation.RESET, "ann").allowed());
    assertNull(check("ann"));
    assertNull(check("ann"));
    refuse("ann", 1);
    assertEquals(MINUTE_NS, ask(Operation.CHECK, "ann").retryAfterNs(), 2e6);
  }

  @Test
  void aLookAtWhatIsLeftNeitherCountsNorIsRefusedByABan() {
    use(rule(ban("2/1m", HOUR_NS)));
    check("ann");
    check("ann");
    for (int i = 0; i < 10; i++) {
      assertEquals(RefusalReason.OVER_LIMIT, ask(Operation.PEEK, "ann").refusal());
    }
    refuse("ann", 1);
    assertEquals(RefusalReason.BANNED, check("ann"));
    assertEquals(RefusalReason.OVER_LIMIT, ask(Operation.PEEK, "ann").refusal());
  }

  @Test
  void ofSeveralKeysTheIdentityIsBannedWhoseLimitRefused() {
    RuleSpec.Builder rule = rule(ban("2/1m", HOUR_NS));
    use(
        rule.limits(
            List.of(
                new BudgetSpec.Builder().name("all").key(KeySpec.ALL).rate(Rate.parse("40/365d")),
                new BudgetSpec.Builder().name("org").key(ORG).rate(Rate.parse("4/365d")),
                new BudgetSpec.Builder().name("user").key(USER).rate(Rate.parse("2/365d")))));
    banned("ann", 2);
    assertEquals("user", ask(Operation.CHECK, "ann").policy().name());
    assertNull(check("a2"), "of the same organisation");
    assertNull(check("a2"));
    assertEquals(RefusalReason.OVER_LIMIT, check("a3"));
    assertEquals(RefusalReason.BANNED, check("a4"));
    assertEquals("org", ask(Operation.CHECK, "a5").policy().name());
    for (char org = 'b'; org < 'z'; org++) {
      for (int i = 0; i < 3; i++) {
        assertNotEquals(RefusalReason.BANNED, check(org + "-user" + i), "all are never banned");
      }
    }
  }

  @Test
  void whoFloodsTheTablesBansNobodyElse() {
    use(rule(ban("5/1m", HOUR_NS)));
    for (int user = 0; user < 20_000; user++) {
      for (int i = 0; i < 5; i++) {
        assertNotEquals(RefusalReason.BANNED, check("user-" + user));
      }
    }
    assertNotEquals(RefusalReason.BANNED, check("bob"));
  }

  /** Bans of a few users, by the sentences of the manual. */
  private static final class Model {
    private record Count(long startNs, int refusals) {}

    private record Ban(long endNs, int times) {}

    private final Map<String, Count> counts = new HashMap<>();
    private final Map<String, Ban> bans = new HashMap<>();
    private final long[] forNs = {10 * SECOND_NS, MINUTE_NS, 5 * MINUTE_NS};

    boolean isBanned(String user, long nowNs) {
      return bans.containsKey(user) && nowNs < bans.get(user).endNs;
    }

    boolean refused(String user, long nowNs) {
      Count count = counts.getOrDefault(user, new Count(Long.MIN_VALUE / 2, 0));
      boolean isSame = nowNs - count.startNs < 20 * SECOND_NS;
      count = isSame ? new Count(count.startNs, count.refusals + 1) : new Count(nowNs, 1);
      counts.put(user, count);
      if (count.refusals < 4) {
        return false;
      }
      counts.remove(user);
      Ban last = bans.get(user);
      boolean isKnown = last != null && nowNs < last.endNs + 10 * MINUTE_NS;
      int times = isKnown ? last.times + 1 : 1;
      bans.put(user, new Ban(nowNs + forNs[Math.min(times, forNs.length) - 1], times));
      return true;
    }
  }

  @Test
  void agreesWithAModelOnRandomSteps() {
    Model model = new Model();
    List<Long> times = Arrays.stream(model.forNs).boxed().toList();
    BanSpec ban = new BanSpec(BanSpec.parseAfter("4/20s"), times, 10 * MINUTE_NS);
    use(rule(ban));
    Random random = new Random(9);
    nowNs = SECOND_NS;
    int bans = 0;
    PrintStream log = System.err;
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    for (int user = 0; user < 50; user++) {
      check("user-" + user);
      check("user-" + user);
    }
    for (int step = 0; step < 50_000; step++) {
      nowNs += random.nextInt(100) == 0 ? random.nextInt(900) * SECOND_NS : 50_000_000;
      String user = "user-" + (random.nextBoolean() ? random.nextInt(3) : random.nextInt(50));
      boolean isBanned = model.isBanned(user, nowNs);
      boolean begins = !isBanned && model.refused(user, nowNs);
      bans += begins ? 1 : 0;
      RefusalReason expected = isBanned || begins ? RefusalReason.BANNED : RefusalReason.OVER_LIMIT;
      assertEquals(expected, check(user), "step " + step);
    }
    System.setErr(log);
    assertTrue(bans > 1000, "" + bans);
    assertFalse(model.bans.isEmpty());
  }

  @Test
  void aBanTellsThrottledAndChangesTheStateOfNobodyElse() {
    RuleSpec.Builder rule = rule(ban("1/1m", HOUR_NS)).warnAt(800);
    use(rule.rate(Rate.parse("20/365d")));
    for (int i = 0; i < 21; i++) {
      check("ann");
    }
    for (int i = 0; i < 14; i++) {
      check("bob");
    }
    Verdict verdict = ask(Operation.CHECK, "ann");
    assertEquals(RefusalReason.BANNED, verdict.refusal());
    assertEquals(Verdict.State.THROTTLED, verdict.toldState());
    assertEquals(Verdict.State.NORMAL, ask(Operation.CHECK, "bob").toldState(), "at 75 %");
  }

  @Test
  void oneLineASecondTellsOfBansAndNotOfWhom() {
    use(rule(ban("1/1m", HOUR_NS)));
    try (LogLines log = new LogLines()) {
      for (String user : List.of("ann", "bob", "eve")) {
        banned(user, 1);
      }
      nowNs += SECOND_NS;
      banned("joe", 1);
      String first = "INFO bans: rule r bans an identity for 3600 s, ban 1 of it";
      assertEquals(List.of(first, first + "; 2 more bans since the last line"), log.with("bans:"));
    }
  }

  @Test
  void allocatesNothing() {
    use(rule(ban("60000/1h", HOUR_NS)));
    UnsafeBuffer bytes = new UnsafeBuffer("ann".getBytes(StandardCharsets.US_ASCII));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = 0;
    for (int i = 0; i < 40_000; i++) {
      if (i == 20_000) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      question.start(Operation.CHECK, Purpose.DECISION).rule("r");
      question.identity("header:x-user-id", bytes, 0, bytes.capacity());
      handler.ask(question, null, nowNs);
    }
    long bytesOfOne = (threads.getCurrentThreadAllocatedBytes() - before) / 20_000;
    assertEquals(0, bytesOfOne);
  }
}
