package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  private long nowNs;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopClock clock = new LoopClock(() -> 1 + nowNs);
  private final Deadlines deadlines = new Deadlines(clock);
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void closeChannel() {
    channel.close();
  }

  @Test
  void aCallbackThatFailsEndsNoOtherDeadline() {
    channel.freezeTime();
    deadlines.start(channel.eventLoop());
    new Waiting("broken", 1);
    new Waiting("beside", 1);
    new Waiting("later", 2);
    long errors = InternalErrors.count();
    sweep();
    assertEquals(List.of("broken", "beside"), told);
    sweep();
    assertEquals(List.of("broken", "beside", "later"), told);
    assertEquals(1, InternalErrors.count() - errors);
  }

  @Test
  void aTaskThatFailsMayBeWokenAgain() {
    channel.freezeTime();
    WakeUp wakeUp = new WakeUp(channel.eventLoop(), clock, () -> tell("broken"));
    long errors = InternalErrors.count();
    for (int i = 1; i <= 2; i++) {
      wakeUp.at(nowNs + 1);
      sweep();
      assertEquals(i, told.size());
    }
    assertEquals(2, InternalErrors.count() - errors);
  }

  private void sweep() {
    nowNs += TimeUnit.MILLISECONDS.toNanos(Deadlines.SWEEP_MS);
    channel.advanceTimeBy(Deadlines.SWEEP_MS, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  private void tell(String name) {
    told.add(name);
    if (name.equals("broken")) {
      throw new IllegalStateException("a callback is broken");
    }
  }

  private final class Waiting extends Deadlines.Waiter {
    private final String name;

    Waiting(String name, int sweeps) {
      this.name = name;
      deadline(1 + TimeUnit.MILLISECONDS.toNanos((long) sweeps * Deadlines.SWEEP_MS));
      deadlines.join(this);
    }

    @Override
    protected void onDeadline() {
      tell(name);
    }
  }
}
