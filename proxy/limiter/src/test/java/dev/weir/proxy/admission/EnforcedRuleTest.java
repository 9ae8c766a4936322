package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
              settings, KeyHasher.withKey(secret, 2), new ClientIpReader(settings), 1024);
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

    long count(Outcome outcome) {
      return metrics.asked("r").count(outcome);
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
