package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.HashOnly.PLAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LocalGateTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Half a second into a second, a minute and an hour of a clock whose epoch is at 0. */
  private static final long NOW = TimeUnit.HOURS.toNanos(48) + SECOND / 2;

  private static final long IDENTITY = 0x1234_5678_9ABC_DEF0L;

  private final LimitTables tables =
      LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 128);
  private final LocalGate gate = new LocalGate(tables);
  private final Charges charges = new Charges();
  private final Answer answer = new Answer();

  @AfterEach
  void closeTables() {
    tables.close();
  }

  private static RuleSpec.Builder spec(Algorithm algorithm, String rate) {
    return RuleSpec.builder("r").algorithm(algorithm).rate(Rate.parse(rate));
  }

  private static RuleSet set(RuleSet previous, RuleSpec.Builder spec) {
    RuleSpec built = spec.build();
    List<String> faults = new ArrayList<>();
    built.check((field, fault) -> faults.add(field + ": " + fault.getMessage()));
    assertEquals(List.of(), faults);
    return RuleSet.compile(List.of(built), false, previous, 0);
  }

  private static RuleSet set(RuleSpec.Builder spec) {
    return set(RuleSet.EMPTY, spec);
  }

  private void ask(RuleSet set, long nowNs) {
    ask(set, nowNs, IDENTITY, IDENTITY, IDENTITY);
  }

  /**
   * @param identities by the rule's keys.
   */
  private void ask(RuleSet set, long nowNs, long... identities) {
    Rule rule = set.rules().get(0);
    charges.set(rule, group -> new HashOnly(identities[group]), PLAIN);
    answer.take(gate.ask(7, charges, nowNs, null));
  }

  private static BudgetSpec.Builder limit(Algorithm algorithm, String rate, String key) {
    return new BudgetSpec.Builder()
        .algorithm(algorithm)
        .rate(Rate.parse(rate))
        .key(KeySpec.parse(key));
  }

  private static RuleSet several(BudgetSpec.Builder... limits) {
    return set(RuleSpec.builder("r").limits(List.of(limits)));
  }

  /** How many of a number of requests at one time pass. */
  private int passing(RuleSet set, int count, long nowNs) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      ask(set, nowNs);
      passed += answer.refusal == null ? 1 : 0;
    }
    return passed;
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void letsExactlyTheLimitPassOfAnyNumberAtOnce(Algorithm algorithm) {
    assertEquals(10, passing(set(spec(algorithm, "10/1m")), 50, NOW));
    assertEquals(RefusalReason.OVER_LIMIT, answer.refusal);
    assertEquals(0, answer.remaining);
    assertTrue(answer.retryAfterNs > 0);
    ask(set(spec(algorithm, "10/1m")), NOW + answer.retryAfterNs);
    assertNull(answer.refusal, "passes after the time that it was told");
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void tellsWhatIsLeftAndWhenAllOfItIsBack(Algorithm algorithm) {
    RuleSet set = set(spec(algorithm, "10/1m"));
    assertEquals(3, passing(set, 3, NOW));
    assertEquals(7, answer.remaining);
    long resetNs =
        switch (algorithm) {
          case GCRA, TOKEN_BUCKET, LEAKY_BUCKET -> 18 * SECOND; // three of six seconds each
          case FIXED_WINDOW -> 60 * SECOND - SECOND / 2; // the end of the minute
          case SLIDING_LOG -> 60 * SECOND;
          case SLIDING_COUNTER -> 120 * SECOND - SECOND / 2; // the end of the next minute
          case BUCKET_RING -> 60 * SECOND - SECOND / 2; // less what the sub-window is old
        };
    assertEquals(resetNs, answer.resetAfterNs);
  }

  @Test
  void refusesALogItsUnitsUntilTheyHaveLeft() {
    RuleSet set = set(spec(Algorithm.SLIDING_LOG, "2/1s"));
    assertEquals(1, passing(set, 1, NOW));
    assertEquals(1, passing(set, 2, NOW + SECOND / 4));
    assertEquals(SECOND * 3 / 4, answer.retryAfterNs);
    assertEquals(0, passing(set, 1, NOW + SECOND - 1));
    assertEquals(1, passing(set, 2, NOW + SECOND));
  }

  @Test
  void startsTheWindowsOfACalendarInTheirZone() {
    // The clock's epoch is the Unix epoch: two days later it is 1 o'clock in Berlin.
    RuleSet set =
        set(
            spec(Algorithm.FIXED_WINDOW, "1/1d")
                .align(Alignment.DAY)
                .zone(ZoneId.of("Europe/Berlin")));
    assertEquals(1, passing(set, 2, NOW));
    assertEquals(TimeUnit.HOURS.toNanos(23) - SECOND / 2, answer.retryAfterNs);
    RuleSet monthly = set(set, spec(Algorithm.FIXED_WINDOW, "1/1month"));
    assertEquals(0, passing(monthly, 1, NOW), "what was consumed of the day counts in the month");
    assertEquals(TimeUnit.DAYS.toNanos(29) - SECOND / 2, answer.retryAfterNs); // in UTC
  }

  @ParameterizedTest
  @EnumSource(names = {"EPOCH", "HOUR"})
  void windowsFollowTheTimeOfDayAndGiveNothingAwayWhenItIsSet(Alignment align) {
    long hourNs = TimeUnit.HOURS.toNanos(1);
    int user = 0;
    for (int offMinutes = -191; offMinutes < 190; offMinutes += 21) {
      for (int usedMinutes = 1; usedMinutes < 60; usedMinutes += 9) {
        long identity = IDENTITY + ++user;
        long startNs = NOW + 3 * user * hourNs;
        long atNs = startNs + TimeUnit.MINUTES.toNanos(usedMinutes);
        RuleSpec.Builder spec = spec(Algorithm.FIXED_WINDOW, "10/1h").align(align);
        RuleSet off =
            RuleSet.compile(
                List.of(spec.build()), false, RuleSet.EMPTY, TimeUnit.MINUTES.toNanos(offMinutes));
        assertEquals(10, passingAt(off, 11, atNs, identity));
        RuleSet set = off.again(0, atNs);
        set.succeed();
        String what = offMinutes + " minutes off, set " + usedMinutes + " minutes past";
        assertEquals(0, passingAt(set, 1, atNs, identity), what);
        assertEquals(0, passingAt(set, 1, startNs + hourNs - SECOND, identity), what);
        assertEquals(10, passingAt(set, 11, startNs + hourNs - SECOND / 2, identity), what);
      }
    }
  }

  private int passingAt(RuleSet set, int count, long nowNs, long identity) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      ask(set, nowNs, identity, identity);
      passed += answer.refusal == null ? 1 : 0;
    }
    return passed;
  }

  @Test
  void tellsARequestOfAQueueItsSlot() {
    RuleSet set =
        set(
            spec(Algorithm.LEAKY_BUCKET, "50/1s")
                .overflow(Overflow.QUEUE)
                .maxWaitNs(SECOND / 25)
                .burst(50));
    long spacingNs = SECOND / 50;
    ask(set, NOW);
    assertEquals(Answer.AT_ONCE, answer.dueNs);
    ask(set, NOW);
    assertEquals(NOW + spacingNs, answer.dueNs);
    ask(set, NOW);
    assertEquals(NOW + 2 * spacingNs, answer.dueNs);
    ask(set, NOW);
    assertEquals(RefusalReason.OVER_LIMIT, answer.refusal, "it would wait longer than allowed");
    assertEquals(spacingNs, answer.retryAfterNs);
    assertEquals(0, answer.remaining);
    ask(set, NOW + spacingNs);
    assertEquals(NOW + 3 * spacingNs, answer.dueNs);
  }

  @Test
  void holdsNobodyForLessThanATimerCanTell() {
    RuleSet set = set(spec(Algorithm.LEAKY_BUCKET, "3/1s").overflow(Overflow.QUEUE).burst(3));
    long nowNs = NOW;
    for (int i = 0; i < 100; i++) {
      ask(set, nowNs);
      assertEquals(Answer.AT_ONCE, answer.dueNs);
      nowNs += SECOND / 3 + 1; // its ticks do not end on whole nanoseconds
    }
  }

  @Test
  void keepsWhatWasConsumedOverAChangeFromAnyAlgorithmToAnyOther() {
    for (Algorithm from : Algorithm.values()) {
      for (Algorithm to : Algorithm.values()) {
        long identityNs = NOW + (from.ordinal() * 10L + to.ordinal()) * 10_000 * SECOND;
        RuleSet before = set(spec(from, "10/10m"));
        assertEquals(6, passing(before, 6, identityNs), from.toString());
        RuleSet after = set(before, spec(to, "8/20m"));
        assertEquals(2, passing(after, 5, identityNs), from + " to " + to);
        RuleSet back = set(after, spec(from, "9/10m"));
        assertEquals(1, passing(back, 5, identityNs), to + " back to " + from);
        // All of it is past before the next pair.
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Algorithm.class,
      names = {"FIXED_WINDOW", "SLIDING_LOG", "SLIDING_COUNTER", "BUCKET_RING"})
  void keepsTheCountsThemselvesUnderAnotherNumber(Algorithm algorithm) {
    RuleSet before = set(spec(algorithm, "10/1m"));
    assertEquals(6, passing(before, 6, NOW));
    RuleSet lower = set(before, spec(algorithm, "5/1m"));
    assertEquals(0, passing(lower, 5, NOW + SECOND));
    RuleSet higher = set(lower, spec(algorithm, "100/1m"));
    assertEquals(94, passing(higher, 200, NOW + SECOND));
    if (algorithm == Algorithm.SLIDING_LOG) {
      // As long as they would have counted, and no longer.
      assertEquals(0, passing(higher, 1, NOW + 60 * SECOND - 1));
      assertEquals(6, passing(higher, 10, NOW + 60 * SECOND));
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void chargesNoneOfSeveralLimitsForARequestThatOneRefuses(Algorithm algorithm) {
    RuleSet set =
        several(limit(algorithm, "3/1m", "ip"), limit(Algorithm.FIXED_WINDOW, "5/1h", "ip"));
    assertEquals(3, passing(set, 50, NOW));
    assertEquals("r-1m", answer.policy);
    assertEquals(2, passing(set, 50, NOW + 120 * SECOND), "all that the hour has left");
    assertEquals("r-1h", answer.policy);
    assertEquals(3600 * SECOND - 120 * SECOND - SECOND / 2, answer.retryAfterNs);
    assertEquals(0, answer.remaining);
    assertEquals(3, passing(set, 50, NOW + 3600 * SECOND), "the minute was not charged either");
  }

  @Test
  void tellsOfTheLimitClosestToExhaustionAndOfTheLongestWait() {
    RuleSet set =
        several(
            limit(Algorithm.FIXED_WINDOW, "10/1m", "ip"),
            limit(Algorithm.FIXED_WINDOW, "4/1h", "ip"),
            limit(Algorithm.SLIDING_LOG, "100/1s", "cookie:s"));
    ask(set, NOW, 1, 2);
    assertEquals("r-1h", answer.policy);
    assertEquals(3, answer.remaining);
    for (int i = 0; i < 9; i++) {
      ask(set, NOW, 3, 4 + i); // of others by the first key
    }
    assertEquals("r-1h", answer.policy);
    assertEquals(RefusalReason.OVER_LIMIT, answer.refusal);
    RuleSet both =
        several(
            limit(Algorithm.FIXED_WINDOW, "1/1m", "ip"), limit(Algorithm.GCRA, "1/1d", "cookie:s"));
    ask(both, NOW, 10, 11);
    assertNull(answer.refusal);
    ask(both, NOW, 10, 11);
    assertEquals("r-1d", answer.policy);
    assertEquals(86_400 * SECOND, answer.retryAfterNs);
    ask(both, NOW, 10, 12);
    assertEquals("r-1m", answer.policy);
  }

  @Test
  void chargesNothingToAnyOfSeveralKeysForARequestThatOneRefuses() {
    RuleSet set =
        several(
            limit(Algorithm.GCRA, "2/1h", "header:user"),
            limit(Algorithm.SLIDING_LOG, "3/1h", "ip"),
            limit(Algorithm.SLIDING_COUNTER, "2/1d", "header:user"));
    long alice = 101;
    long bob = 102;
    long home = 201;
    long office = 202;
    assertEquals(2, passing(set, 9, alice, home));
    assertEquals(1, passing(set, 9, bob, home), "all that home has left");
    assertEquals(1, passing(set, 9, bob, office), "and bob has what home did not let pass");
    assertEquals(2, passing(set, 9, 103, office));
  }

  private int passing(RuleSet set, int count, long user, long address) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      ask(set, NOW, user, address);
      passed += answer.refusal == null ? 1 : 0;
    }
    return passed;
  }

  @Test
  void severalLimitsGoOnOverAReloadWhateverTheirOrder() {
    RuleSet before =
        several(limit(Algorithm.GCRA, "5/1h", "ip"), limit(Algorithm.GCRA, "9/1d", "ip"));
    assertEquals(4, passing(before, 4, NOW));
    RuleSet after =
        set(
            before,
            RuleSpec.builder("r")
                .limits(
                    List.of(
                        limit(Algorithm.GCRA, "8/1d", "ip"), limit(Algorithm.GCRA, "5/1h", "ip"))));
    assertEquals(1, passing(after, 9, NOW));
    assertEquals("r-1h", answer.policy);
    RuleSet day =
        set(after, RuleSpec.builder("r").limits(List.of(limit(Algorithm.GCRA, "8/1d", "ip"))));
    assertEquals(3, passing(day, 9, NOW));
  }

  @Test
  void threadsThatTakeOneBudgetFromUnderTheOtherLoseNoUnitAndGainNone() throws Exception {
    RuleSet set =
        several(
            limit(Algorithm.GCRA, "40000/1h", "header:user"),
            limit(Algorithm.GCRA, "60000/1h", "ip"),
            limit(Algorithm.SLIDING_COUNTER, "40000/1h", "header:user"));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> counts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long user = 300 + i % 2;
        counts.add(threads.submit(() -> new Asker(set, user, 400).passing(50_000)));
      }
      int passed = 0;
      for (Future<Integer> count : counts) {
        passed += count.get();
      }
      // Those that were refused for a moment are let pass now, and not one more.
      passed += new Asker(set, 300, 400).passing(60_000) + new Asker(set, 301, 400).passing(60_000);
      assertEquals(60_000, passed);
      assertEquals(80_000 - 60_000, leftOf(set, 300) + leftOf(set, 301));
    } finally {
      threads.shutdownNow();
    }
  }

  private int leftOf(RuleSet set, long user) {
    return new Asker(set, user, 500 + user).passing(60_000);
  }

  /** One event loop. */
  private final class Asker {
    private final LocalGate own = new LocalGate(tables);
    private final Charges charges = new Charges();
    private final RuleSet set;
    private final Identities identities;

    Asker(RuleSet set, long user, long address) {
      this.set = set;
      this.identities = group -> new HashOnly(group == 0 ? user : address);
    }

    int passing(int count) {
      int passed = 0;
      for (int i = 0; i < count; i++) {
        charges.set(set.rules().get(0), identities, PLAIN);
        passed += own.ask(7, charges, NOW, null).allowed() ? 1 : 0;
      }
      return passed;
    }
  }

  private static final class Answer {
    static final long AT_ONCE = Verdict.AT_ONCE;

    private RefusalReason refusal;
    private String policy;
    private long remaining;
    private long resetAfterNs;
    private long retryAfterNs;
    private long dueNs;

    void take(Verdict verdict) {
      refusal = verdict.refusal();
      policy = verdict.policy().name();
      remaining = verdict.remaining();
      resetAfterNs = verdict.resetAfterNs();
      retryAfterNs = verdict.retryAfterNs();
      dueNs = verdict.dueNs();
    }
  }
}
