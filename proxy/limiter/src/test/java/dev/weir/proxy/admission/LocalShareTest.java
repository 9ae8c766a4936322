package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.HashOnly.PLAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Share;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A local limit that is divided by the sidecars of a fleet, while their number changes. */
class LocalShareTest {
  private static final int LIMIT = 12;
  private static final long NOW = TimeUnit.HOURS.toNanos(48) + 1;
  private static final int RUNS = 500;

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LocalGate gate = new LocalGate(tables);
  private final Charges charges = new Charges();
  private final Shares shares = new Shares();
  private long lastKey;

  @AfterEach
  void close() {
    tables.close();
  }

  private RuleSet rules(Algorithm algorithm, Share share, RuleSet previous) {
    RuleSpec spec =
        RuleSpec.builder("r")
            .algorithm(algorithm)
            .rate(Rate.parse(LIMIT + "/1h"))
            .share(share)
            .build();
    RuleSet set = RuleSet.compile(List.of(spec), false, previous, 0);
    shares.follow(set);
    return set;
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void bitesAtOnceWhenSidecarsComeAndGo(Algorithm algorithm) {
    RuleSet set = rules(algorithm, Share.AUTO, RuleSet.EMPTY);
    assertEquals(LIMIT, passing(set, ++lastKey, 50));
    shares.divideBy(3, 0);
    assertEquals(LIMIT / 3, passing(set, ++lastKey, 50));
    shares.divideBy(2, 0);
    assertEquals(LIMIT / 2, passing(set, ++lastKey, 50));
    shares.divideBy(100, 0);
    assertEquals(1, passing(set, ++lastKey, 50), "never less than one request");
    shares.divideBy(1, 0);
    assertEquals(LIMIT, passing(set, ++lastKey, 50));
  }

  /** Each of the fleet has a table of its own; what passes is counted here. */
  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aFleetThatIsLargerThanTheLimitLetsNoMorePassThanTheLimit(Algorithm algorithm) {
    for (int cost = 1; cost <= 3; cost++) {
      for (String limit : List.of("2/1h", "3/1h", "7/1h", "10/365d")) {
        RuleSpec.Builder spec =
            RuleSpec.builder("r").algorithm(algorithm).rate(Rate.parse(limit)).share(Share.AUTO);
        int most = Integer.parseInt(limit.substring(0, limit.indexOf('/')));
        if (cost > most) {
          continue;
        }
        RuleSet set = RuleSet.compile(List.of(spec.cost(cost).build()), false, RuleSet.EMPTY, 0);
        shares.follow(set);
        for (int sidecars : new int[] {1, 2, 3, 5, 4, 9, 5, 2, 1}) {
          int sum = 0;
          for (int rank = 0; rank < sidecars; rank++) {
            shares.divideBy(sidecars, rank);
            sum += cost * passing(set, ++lastKey, 12);
          }
          String what = limit + " at " + cost + " on " + sidecars;
          assertTrue(sum <= most, what + ": " + sum);
          assertTrue(sum > most / 2 || sum > most - sidecars * cost, what + ": " + sum);
        }
      }
    }
  }

  @Test
  void whoHasNoShareIsRefusedAsOverTheLimitAndToldToWait() {
    RuleSpec spec = RuleSpec.builder("r").rate(Rate.parse("2/1h")).share(Share.AUTO).build();
    RuleSet set = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0);
    shares.follow(set);
    shares.divideBy(5, 2);
    charges.set(set.rules().get(0), of(1), PLAIN);
    Verdict refused = gate.ask(1, charges, NOW, null);
    assertEquals(RefusalReason.OVER_LIMIT, refused.refusal());
    assertEquals(TimeUnit.MINUTES.toNanos(30), refused.retryAfterNs());
    shares.divideBy(5, 1);
    assertEquals(1, passing(set, 1, 9), "it is one of the first now");
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void givesNobodyAFreshBudgetHoweverTheNumberChanges(Algorithm algorithm) {
    RuleSet set = rules(algorithm, Share.AUTO, RuleSet.EMPTY);
    Random random = new Random(1);
    for (int run = 0; run < RUNS; run++) {
      long key = ++lastKey;
      StringBuilder story = new StringBuilder();
      int sum = 0;
      for (int step = 0; step < 30; step++) {
        int sidecars = 1 + random.nextInt(LIMIT);
        shares.divideBy(sidecars, 0);
        int now = passing(set, key, random.nextInt(4));
        sum += now;
        story.append(sidecars).append(':').append(now).append(' ');
        assertTrue(now <= LIMIT / sidecars, story.toString());
      }
      assertTrue(sum <= LIMIT, algorithm + ": " + story);
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void keepsWhatWasConsumedWhenAReloadTurnsItOnAndOff(Algorithm algorithm) {
    shares.divideBy(3, 0);
    RuleSet whole = rules(algorithm, Share.NONE, RuleSet.EMPTY);
    assertEquals(LIMIT, passing(whole, 1, 50));
    RuleSet divided = rules(algorithm, Share.AUTO, whole);
    assertEquals(0, passing(divided, 1, 50));
    assertEquals(LIMIT / 3, passing(divided, 2, 50));
    RuleSet again = rules(algorithm, Share.NONE, divided);
    assertTrue(passing(again, 2, 50) <= LIMIT - LIMIT / 3);
    assertEquals(0, passing(again, 1, 50));
  }

  private int passing(RuleSet set, long key, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      charges.set(set.rules().get(0), of(key), PLAIN);
      sum += gate.ask(1, charges, NOW, null).allowed() ? 1 : 0;
    }
    return sum;
  }

  private static Identities of(long key) {
    return group -> new HashOnly(key * 0x9E37_79B9_7F4A_7C15L);
  }
}
