package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules whose refusals take effect for a part of the identities: {@code enforce}. */
class EnforcedRuleTest {
  private static final int USERS = 1000;
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final KeySpec USER = KeySpec.parse("header:x-user-id");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Sidecar sidecar = new Sidecar(1);

  /** The decisions of one event loop, under a secret of its own. */
  private final class Sidecar {
    private final LimitTables tables =
        LimitTables.allocate(new AdmissionSettings(2000, 1000, 0), 0);
    private final LoopMetrics metrics = new Metrics().newLoop();
    private final Question question = new Question();
    private final Question[] questions = {question};
    private final AdmissionHandler handler;

    Sidecar(long secret) {
      IdentitySettings settings = IdentitySettings.DEFAULT;
      IdentityReader reader =
          new IdentityReader(
              settings,
              KeyHasher.withKey(secret, 2),
              new ClientIpReader(settings),
              new BadTokens(),
              1024);
      handler =
          new AdmissionHandler(
              new LocalGate(tables), reader, metrics, new LoopClock(), channel.eventLoop());
    }

    Sidecar use(RuleSpec.Builder... rules) {
      List<RuleSpec> specs = List.of(rules).stream().map(RuleSpec.Builder::build).toList();
      handler.publish(RuleSet.compile(specs, false, RuleSet.EMPTY, 0));
      return this;
    }

    Verdict ask(UnsafeBuffer user, boolean isAhead, long nowNs) {
      question.start(Operation.CHECK, Purpose.DECISION).rule("r");
      if (user != null) {
        question.identity("header:x-user-id", user, 0, user.capacity());
      }
      if (isAhead) {
        handler.prefetch(questions, 1);
      }
      return handler.ask(question, null, nowNs).verdict();
    }

    /** Asks about a request of traffic with these header fields. */
    Verdict send(boolean isAhead, String... fields) {
      question.traffic(TextRequest.of("GET", "/", fields));
      if (isAhead) {
        handler.prefetch(questions, 1);
      }
      return handler.ask(question, null, 1).verdict();
    }

    long count(Outcome outcome) {
      return metrics.asked("r").count(outcome);
    }
  }

  /** Every token is bad. */
  private static final class BadTokens implements ClaimReader {
    @Override
    public RefusalReason read(RequestView request) {
      boolean hasToken = request.findField(FieldName.of("authorization"), 0) >= 0;
      return hasToken ? RefusalReason.TOKEN_MALFORMED : null;
    }

    @Override
    public int claim(byte[] name, MutableDirectBuffer target, int at) {
      return ABSENT;
    }
  }

  @AfterEach
  void close() {
    sidecar.tables.close();
    channel.close();
  }

  private static RuleSpec.Builder rule(String rate) {
    return RuleSpec.builder("r").rate(Rate.parse(rate)).key(USER);
  }

  private static UnsafeBuffer user(int number) {
    return new UnsafeBuffer(("user-" + number).getBytes(StandardCharsets.US_ASCII));
  }

  /** Each of 1,000 users asks 60 times a minute, for ten minutes; those who are refused. */
  private static Set<Integer> refused(Sidecar of) {
    Set<Integer> refused = new TreeSet<>();
    for (int user = 0; user < USERS; user++) {
      UnsafeBuffer name = user(user);
      for (int second = 0; second < 600; second++) {
        if (!of.ask(name, user % 2 == 0, (1 + second) * SECOND_NS).allowed()) {
          refused.add(user);
        }
      }
    }
    return refused;
  }

  /** Example 9 of the design of rules. */
  @Test
  void refusesTheSameTenthOfTheUsersEverywhere() {
    Set<Integer> refused = refused(sidecar.use(rule("50/1m").enforce(100)));
    assertTrue(refused.size() > 70 && refused.size() < 130, refused.toString());
    long enforced = sidecar.count(Outcome.REFUSED);
    long passed = sidecar.count(Outcome.DRY_RUN_REFUSED);
    assertEquals((double) refused.size() / USERS, (double) enforced / (enforced + passed), 0.001);
    assertEquals(600L * USERS, enforced + passed + sidecar.count(Outcome.ALLOWED));
    Sidecar other = new Sidecar(99).use(rule("50/1m").enforce(100));
    assertEquals(refused, refused(other));
    other.tables.close();
  }

  @Test
  void aLargerPartRefusesWhoHasUsedTheirBudgetBefore() {
    RuleSet none =
        RuleSet.compile(List.of(rule("1/1h").enforce(0).build()), false, RuleSet.EMPTY, 0);
    sidecar.handler.publish(none);
    for (int i = 0; i < 200; i++) {
      assertTrue(sidecar.ask(user(i % 100), false, 1).allowed());
    }
    RuleSpec most = rule("1/1h").enforce(999).build();
    sidecar.handler.publish(RuleSet.compile(List.of(most), false, none, 0));
    int refused = 0;
    for (int user = 0; user < 100; user++) {
      refused += sidecar.ask(user(user), false, 1).allowed() ? 0 : 1;
    }
    assertTrue(refused > 95, refused + " of 100");
  }

  /** A request without an identity is in no part of them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void passesWhoHasNoIdentity(boolean isAhead) {
    sidecar.use(rule("1/1h").enforce(999).onMissingKey(OnMissingKey.REFUSE));
    assertTrue(sidecar.ask(null, isAhead, 1).allowed());
    assertEquals(1, sidecar.count(Outcome.DRY_RUN_REFUSED));
    assertEquals(0, sidecar.count(Outcome.IDENTITY_REFUSED));
  }

  /** Else whoever sends a field twice would be free of the limit. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusesAMalformedIdentity(boolean isAhead) {
    sidecar.use(rule("1/1h").enforce(999));
    for (int i = 0; i < 3; i++) {
      Verdict twice = sidecar.send(isAhead, "X-User-Id", "ann", "X-User-Id", "ann");
      assertEquals(RefusalReason.IDENTITY_AMBIGUOUS, twice.refusal());
    }
    assertEquals(3, sidecar.metrics.rule("r").count(Outcome.IDENTITY_REFUSED));
    sidecar.use(rule("1/1h").enforce(0));
    assertTrue(sidecar.send(isAhead, "X-User-Id", "ann", "X-User-Id", "ann").allowed());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusesABadToken(boolean isAhead) {
    sidecar.use(rule("1/1h").enforce(999).key(KeySpec.parse("jwt:sub")));
    Verdict bad = sidecar.send(isAhead, "Authorization", "Bearer x");
    assertEquals(RefusalReason.TOKEN_MALFORMED, bad.refusal());
    assertTrue(sidecar.send(isAhead).allowed());
  }

  /** A user in the part is refused also for the key of another limit, wherever it stands. */
  @ParameterizedTest
  @CsvSource({"false,0", "true,0", "false,1", "true,1"})
  void theIdentityDecidesWhateverIsWrongWithOtherKeys(boolean isAhead, int place) {
    List<BudgetSpec.Builder> limits = new ArrayList<>(List.of(limit("header:x-user-id")));
    limits.add(place, limit("header:x-org"));
    sidecar.use(
        RuleSpec.builder("r")
            .limits(limits)
            .key(USER)
            .onMissingKey(OnMissingKey.REFUSE)
            .enforce(500));
    Set<RefusalReason> reasons = new HashSet<>();
    int refused = 0;
    for (int i = 0; i < 100; i++) {
      Verdict twice = sidecar.send(isAhead, "X-User-Id", "u" + i, "X-Org", "a", "X-Org", "b");
      boolean isTwiceRefused = !twice.allowed();
      if (isTwiceRefused) {
        reasons.add(twice.refusal());
      }
      Verdict none = sidecar.send(isAhead, "X-User-Id", "u" + i);
      assertEquals(isTwiceRefused, !none.allowed(), "the same users");
      if (isTwiceRefused) {
        reasons.add(none.refusal());
        refused++;
      }
    }
    assertEquals(Set.of(RefusalReason.IDENTITY_AMBIGUOUS, RefusalReason.IDENTITY_MISSING), reasons);
    assertTrue(refused > 25 && refused < 75, refused + " of 100");
    assertTrue(sidecar.send(isAhead, "X-Org", "a", "X-Org", "b").allowed(), "in no part");
  }

  private static BudgetSpec.Builder limit(String key) {
    return new BudgetSpec.Builder().rate(Rate.parse("1/1h")).key(KeySpec.parse(key));
  }

  @Test
  void allocatesNothing() {
    sidecar.use(rule("50/1m").enforce(500));
    UnsafeBuffer[] users = new UnsafeBuffer[100];
    for (int user = 0; user < users.length; user++) {
      users[user] = user(user);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 20_000; i++) {
        sidecar.ask(users[i % users.length], i % 2 == 0, SECOND_NS);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least, "bytes allocated for 20,000 questions");
  }
}
