package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.AttackPlan;
import dev.weir.bench.torture.plan.ClientPlan;
import dev.weir.bench.torture.plan.CostPlan;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.KeyPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RuleOptions;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import dev.weir.bench.torture.plan.RulePlan.OnStoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** An episode as a test tells it, in milliseconds since its start. */
final class History {
  static final long WINDOW_MS = 1_000;

  static final KeyPlan KEY = new KeyPlan(List.of(0), false);

  private static final long MS = 1_000_000;

  private final List<RulePlan> rules;
  private long beganMs;
  private final List<Asked> asked = new ArrayList<>();
  private final Map<Long, Served> served = new HashMap<>();
  private final List<Happening> happenings = new ArrayList<>();
  private final List<Regime> regimes = new ArrayList<>();
  private final List<Pause> pauses = new ArrayList<>();
  private final List<ProcessEnd> ends = new ArrayList<>();
  private final List<Reading> readings = new ArrayList<>();
  private final List<AttackPlan> attacks = new ArrayList<>();
  private final List<Revival> revivals = new ArrayList<>();

  /** With one rule of one limit, of {@code count} per {@link #WINDOW_MS}. */
  History(Algorithm algorithm, long count, Mode mode) {
    this(algorithm, count, WINDOW_MS, mode);
  }

  History(Algorithm algorithm, long count, long windowMs, Mode mode) {
    this(new LimitPlan(algorithm, count, windowMs, count, KEY), mode);
  }

  History(LimitPlan limit, Mode mode) {
    this(rule(mode, limit));
  }

  History(RulePlan... rules) {
    this.rules = List.of(rules);
    regimes.add(new Regime(this.rules, Long.MIN_VALUE, Long.MAX_VALUE));
  }

  static RulePlan rule(Mode mode, LimitPlan limit) {
    return new RulePlan(
        0,
        RulePlan.Kind.OWN,
        mode,
        List.of(limit),
        new CostPlan(1, 0),
        OnStoreFailure.CLOSED,
        RuleOptions.NONE);
  }

  /** The episode began so long after the beginning of a day. */
  History from(long ms) {
    beganMs = ms;
    return this;
  }

  /** A request of HTTP/1.1 from the first identity, at process 1 of the first sidecar. */
  History ask(long sentMs, long answeredMs, Outcome outcome) {
    return ask(sentMs, answeredMs, outcome, 1);
  }

  History ask(long sentMs, long answeredMs, Outcome outcome, int life) {
    return ask(sentMs, answeredMs, outcome, life, 0, 0, Asked.NO_KEY);
  }

  /** A request of a trusted client that says its cost. */
  History tell(int cost, long sentMs, long answeredMs) {
    return ask(sentMs, answeredMs, Outcome.PASSED, 1, 0, cost, Asked.NO_KEY);
  }

  /** A request for another rule. */
  History askFor(int rule, long sentMs, long answeredMs, Outcome outcome) {
    return ask(sentMs, answeredMs, outcome, 1, rule, 0, Asked.NO_KEY);
  }

  /** A request with the idempotency key of an earlier one, maybe its own. */
  History retry(long number, long sentMs, long answeredMs, Outcome outcome) {
    return ask(sentMs, answeredMs, outcome, 1, 0, 0, number);
  }

  private History ask(
      long sentMs, long answeredMs, Outcome outcome, int life, int rule, int told, long retryOf) {
    final long number = asked.size();
    asked.add(
        new Asked(
            number,
            ClientPlan.Kind.HTTP1,
            rule,
            List.of(0, 0, 0),
            told,
            retryOf,
            0,
            life,
            sentMs * MS,
            answeredMs * MS,
            outcome,
            ""));
    if (outcome == Outcome.PASSED) {
      served.put(number, new Served(answeredMs * MS, 1));
    }
    return this;
  }

  /** So many requests that pass, each in the same span. */
  History pass(int count, long sentMs, long answeredMs) {
    for (int i = 0; i < count; i++) {
      ask(sentMs, answeredMs, Outcome.PASSED);
    }
    return this;
  }

  /** The service had the last request so often. */
  History served(int count) {
    final Asked last = asked.get(asked.size() - 1);
    if (count == 0) {
      served.remove(last.number());
    } else {
      served.put(last.number(), new Served(last.answeredNs(), count));
    }
    return this;
  }

  /** A request that passed, and when it was at the service. */
  History serve(int life, long fromMs, long untilMs) {
    ask(fromMs, untilMs, Outcome.PASSED, life);
    served.put(asked.size() - 1L, new Served(fromMs * MS, 1, untilMs * MS));
    return this;
  }

  History happen(FaultPlan.Kind kind, long fromMs, long toMs) {
    happenings.add(
        new Happening(
            kind,
            0,
            kind == FaultPlan.Kind.BUDGETS_RESET ? 0 : Happening.ALL,
            fromMs * MS,
            toMs * MS));
    return this;
  }

  /** The machine gave nobody a processor. */
  History pause(long fromMs, long toMs) {
    pauses.add(new Pause(fromMs * MS, toMs * MS));
    return this;
  }

  /** From then on the limit allows so many. */
  History change(long atMs, long count) {
    final RulePlan rule = rules.get(0);
    final RulePlan changed = rule(rule.mode(), rule.limits().get(0).withCount(count));
    regimes.set(0, new Regime(rules, Long.MIN_VALUE, atMs * MS));
    regimes.add(new Regime(List.of(changed), atMs * MS, Long.MAX_VALUE));
    return this;
  }

  /** A hostile client is at work. */
  History attack() {
    attacks.add(new AttackPlan(0, AttackPlan.Kind.GARBAGE, 1, 0, 1_000));
    return this;
  }

  /** The log of process 1 has a line. */
  History log(String line) {
    return end(
        new ProcessEnd(
            0,
            1,
            false,
            false,
            OptionalInt.empty(),
            Map.of(),
            Map.of(),
            ProcessEnd.NOTHING,
            ProcessEnd.NOTHING,
            ProcessEnd.NOTHING,
            Map.of(),
            line));
  }

  History end(ProcessEnd end) {
    ends.add(end);
    return this;
  }

  /** In the end so many units are used at process 1. */
  History read(long atMs, long used) {
    readings.add(new Reading(0, List.of(0, 0, 0), 0, 1, atMs * MS, List.of(used)));
    return this;
  }

  History revive(boolean passed) {
    revivals.add(new Revival(0, 0, passed, 0, 1, ""));
    return this;
  }

  Evidence evidence() {
    final Plan plan =
        new Plan(
            1,
            20_000,
            false,
            2,
            false,
            Plan.StoreKind.STANDALONE,
            false,
            100,
            rules,
            List.of(),
            attacks,
            List.of());
    return new Evidence(
        plan,
        0,
        beganMs * MS,
        asked,
        served,
        happenings,
        regimes,
        pauses,
        0,
        readings,
        revivals,
        ends);
  }
}
