package dev.weir.bench.torture.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Algorithm;
import dev.weir.bench.torture.plan.RulePlan.Mode;
import org.junit.jupiter.api.Test;

final class ExchangeJudgeTest {
  private final History history = new History(Algorithm.GCRA, 100, Mode.LOCAL);

  private int found() {
    return new ExchangeJudge().judge(history.evidence()).size();
  }

  @Test
  void takesWhatIsAnsweredOnce() {
    history.ask(0, 1, Outcome.PASSED).ask(2, 3, Outcome.REFUSED).ask(4, 5, Outcome.FAILED);
    assertEquals(0, found());
    history.served(1); // the answer was lost
    assertEquals(0, found());
  }

  @Test
  void seesARequestThatWasSentTwice() {
    history.ask(0, 1, Outcome.PASSED).served(2);
    assertEquals(1, found());
  }

  @Test
  void seesARefusedRequestAtTheService() {
    history.ask(0, 1, Outcome.REFUSED).served(1);
    assertEquals(1, found());
  }

  @Test
  void seesAnAnswerThatIsNotOfTheService() {
    history.ask(0, 1, Outcome.PASSED).served(0);
    assertEquals(1, found());
  }

  @Test
  void seesASpoiltAnswer() {
    history.ask(0, 1, Outcome.SPOILT).served(1);
    history.ask(0, 1, Outcome.PASSED);
    assertEquals(1, found());
  }
}
