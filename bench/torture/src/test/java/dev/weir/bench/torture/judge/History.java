package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.ClientPlan;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.LimitPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import dev.weir.bench.torture.plan.RulePlan.OnStoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An episode as a test tells it, in milliseconds since its start. */
final class History {
  static final long WINDOW_MS = 1_000;

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
  private final List<Revival> revivals = new ArrayList<>();

  /** With one rule of one limit, of {@code count} per {@link #WINDOW_MS}. */
  History(Algorithm algorithm, long count, Mode mode) {
    this(algorithm, count, WINDOW_MS, mode);
  }

  History(Algorithm algorithm, long count, long windowMs, Mode mode) {
    this(new LimitPlan(algorithm, count, windowMs, count, List.of(0)), mode);
  }

  History(LimitPlan limit, Mode mode) {
    rules = List.of(new RulePlan(0, mode, List.of(limit), 1, OnStoreFailure.CLOSED, false, false));
    regimes.add(new Regime(rules, Long.MIN_VALUE, Long.MAX_VALUE));
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
    final long number = asked.size();
    asked.add(
        new Asked(
            number,
            ClientPlan.Kind.HTTP1,
            0,
            List.of(0, 0, 0),
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
    final RulePlan changed =
        new RulePlan(
            0,
            rule.mode(),
            List.of(rule.limits().get(0).withCount(count)),
            1,
            rule.onStoreFailure(),
            false,
            false);
    regimes.set(0, new Regime(rules, Long.MIN_VALUE, atMs * MS));
    regimes.add(new Regime(List.of(changed), atMs * MS, Long.MAX_VALUE));
    return this;
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
            List.of(),
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
