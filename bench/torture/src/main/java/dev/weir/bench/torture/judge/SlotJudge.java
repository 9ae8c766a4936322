package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * More requests of one identity were at the service at one moment than {@code concurrency} lets be
 * in flight: per process in mode local, else of all sidecars. A request counts from its arrival
 * until the end of its answer was sent, and only if its client had the whole answer: who leaves
 * gives a slot back before the service knows. Not judged is what docs/fleet.md names: a store that
 * lost its writes, and a sidecar that was cut off from it for about a life.
 */
final class SlotJudge implements Judge {
  /** A record of a sidecar lives for 10 s and is renewed every 3 s. */
  private static final long SILENT_NS = 6_000_000_000L;

  /** One request that had a slot. */
  private record Slot(Asked asked, Served served) {
    boolean isAt(long ns) {
      return served.firstNs() <= ns && ns < served.untilNs();
    }
  }

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    for (RulePlan rule : evidence.plan().rules()) {
      final int most = rule.options().concurrency();
      if (most > 0 && isKept(evidence, rule.number())) {
        slots(evidence, rule).values().forEach(slots -> check(slots, most, findings));
      }
    }
    return findings;
  }

  private void check(List<Slot> slots, int most, List<Finding> findings) {
    for (Slot last : slots) {
      final long atNs = last.served().firstNs();
      final List<Slot> inFlight = slots.stream().filter(slot -> slot.isAt(atNs)).toList();
      if (inFlight.size() > most) {
        findings.add(
            new Finding(
                name(),
                "rule %d: %d requests were at the service of %d: %s"
                    .formatted(
                        last.asked().rule(),
                        inFlight.size(),
                        most,
                        inFlight.stream().map(slot -> slot.asked().number()).toList()),
                inFlight.stream().mapToLong(slot -> slot.asked().sentNs()).min().orElse(atNs),
                atNs));
        return; // one fault shows itself many times
      }
    }
  }

  private static Map<String, List<Slot>> slots(Evidence evidence, RulePlan rule) {
    final Map<String, List<Slot>> slots = new HashMap<>();
    for (Asked asked : evidence.asked()) {
      final Served served = evidence.served().get(asked.number());
      if (asked.rule() == rule.number()
          && asked.outcome() == Asked.Outcome.PASSED
          && served != null
          && !evidence.hasFullTable(asked.life())) {
        slots
            .computeIfAbsent(
                Budget.who(rule.limits().get(0), rule.mode(), asked.identities(), asked.life()),
                any -> new ArrayList<>())
            .add(new Slot(asked, served));
      }
    }
    return slots;
  }

  /** Whether nothing happened after which slots may be given out once more. */
  private static boolean isKept(Evidence evidence, int number) {
    final List<RulePlan> versions =
        Budget.versions(evidence, number, evidence.startNs(), Long.MAX_VALUE);
    final boolean isStored = versions.stream().anyMatch(RulePlan::needsStore);
    return versions.stream().noneMatch(rule -> rule.options().dryRun())
        && evidence.happenings().stream().noneMatch(each -> each.rule() == number)
        && (!isStored || isKeptInStore(evidence));
  }

  private static boolean isKeptInStore(Evidence evidence) {
    return evidence.passedUndecided() == 0
        && evidence.pauses().stream().noneMatch(each -> each.toNs() - each.fromNs() > SILENT_NS)
        && evidence.happenings().stream().noneMatch(SlotJudge::mayFree);
  }

  private static boolean mayFree(Happening happening) {
    return switch (happening.kind()) {
      case STORE_KILLED, STORE_EVICTS, STORE_CLOCK_SET, WRITES_LOST, STORE_HUNG -> true;
      default ->
          happening.toNs() - happening.fromNs() > SILENT_NS
              && (happening.kind().lane() == FaultPlan.Lane.STORE
                  || happening.kind() == FaultPlan.Kind.SIDECAR_STOPPED);
    };
  }
}
