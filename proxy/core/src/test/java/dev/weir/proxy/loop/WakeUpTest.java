package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On a clock that only the test moves. */
class WakeUpTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopClock clock = new LoopClock(() -> 1);
  private int runs;
  private final WakeUp wakeUp = new WakeUp(channel.eventLoop(), clock, () -> runs++);

  WakeUpTest() {
    channel.freezeTime();
  }

  @Test
  void runsOnceAtTheEarliestTimeThatWasAskedFor() {
    wakeUp.at(301);
    wakeUp.at(101);
    wakeUp.at(201);
    assertRuns(0, 99);
    assertRuns(1, 1);
    assertRuns(1, 1000);
  }

  @Test
  void runsAsSoonAsMayBeForATimeThatHasPassed() {
    wakeUp.at(-5);
    assertRuns(1, 0);
  }

  @Test
  void runsAgainWhenAskedAgain() {
    wakeUp.at(101);
    assertRuns(1, 100);
    wakeUp.at(101);
    assertRuns(2, 100);
  }

  @Test
  void goesOnAfterATaskThatFailed() {
    long errors = InternalErrors.count();
    int[] tries = {0};
    WakeUp failing =
        new WakeUp(
            channel.eventLoop(),
            clock,
            () -> {
              tries[0]++;
              throw new IllegalStateException("on purpose");
            });
    for (int i = 1; i <= 2; i++) {
      failing.at(11);
      assertRuns(0, 10);
      assertEquals(i, tries[0]);
      assertEquals(errors + i, InternalErrors.count());
    }
  }

  private void assertRuns(int expected, long laterNs) {
    channel.advanceTimeBy(laterNs, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    assertEquals(expected, runs);
  }
}
