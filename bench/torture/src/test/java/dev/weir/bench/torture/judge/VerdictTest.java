package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VerdictTest {
  /** Four requests, one every ten seconds; the machine pauses beside the first two. */
  private static History halfDisturbed() {
    return new History(Algorithm.GCRA, 10, Mode.LOCAL)
        .pass(1, 0, 1)
        .pass(1, 10_000, 10_001)
        .pass(1, 20_000, 20_001)
        .pass(1, 30_000, 30_001)
        .pause(0, 100)
        .pause(10_500, 10_600);
  }

  private static Verdict verdict(History history, Finding... findings) {
    return Verdict.of(history.evidence(), List.of(findings));
  }

  @Test
  void countsTheRequestsThatNoPauseTouched() {
    assertEquals(2, halfDisturbed().evidence().undisturbed());
  }

  @Test
  void isOkIfHalfOfTheRequestsWereUndisturbed() {
    assertEquals(Verdict.OK, verdict(halfDisturbed()));
  }

  @Test
  void judgesNoEpisodeOfWhichLessThanHalfWasUndisturbed() {
    assertEquals(Verdict.NOT_JUDGED, verdict(halfDisturbed().pause(20_100, 20_200)));
  }

  @Test
  void blamesTheRunForBeingLateOnlyWhereTheMachineWasNotBusy() {
    final Finding late = new Finding(Finding.LATE, "a fault: TimeoutException", 0, 1);
    assertEquals(Verdict.FOUND, verdict(halfDisturbed(), late));
    assertEquals(Verdict.NOT_JUDGED, verdict(halfDisturbed().pause(20_100, 20_200), late));
  }

  @Test
  void isFoundHoweverBusyTheMachineWas() {
    for (String judge : List.of("ExchangeJudge", Finding.RUN)) {
      final Finding finding = new Finding(judge, "a byte", 0, 1);
      assertEquals(Verdict.FOUND, verdict(halfDisturbed().pause(20_100, 20_200), finding));
    }
  }
}
