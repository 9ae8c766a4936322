package dev.weir.proxy.loop;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;

/** Clock and deadlines of an event loop on which time passes when a test says so. */
public final class HeldTime {
  private final EmbeddedChannel channel;
  private long nowNs = 1;
  public final LoopClock clock = new LoopClock(() -> nowNs);
  public final Deadlines deadlines = new Deadlines(clock);

  /** Time on an event loop of its own. */
  public HeldTime() {
    this(new EmbeddedChannel());
  }

  /** Time on the event loop of a channel. */
  public HeldTime(EmbeddedChannel channel) {
    this.channel = channel;
    channel.freezeTime();
    deadlines.start(channel.eventLoop());
  }

  /** Lets time pass before the next look at the deadlines. */
  public void passUnseen(long ns) {
    nowNs += ns;
  }

  /** Lets time pass, looks at the deadlines once, and runs what is to run then. */
  public void pass(long ns) {
    nowNs += ns;
    channel.advanceTimeBy(Deadlines.SWEEP_MS, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }
}
