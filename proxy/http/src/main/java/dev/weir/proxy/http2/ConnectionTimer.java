package dev.weir.proxy.http2;

import dev.weir.proxy.loop.Deadlines;
import java.util.concurrent.TimeUnit;

/** The deadlines of one connection. */
final class ConnectionTimer extends Deadlines.Waiter {
  /** The time for the peer's preface, and for its acknowledgement of our settings. */
  private static final long SETTINGS_NS = TimeUnit.SECONDS.toNanos(10);

  /** The time for the rest of a frame, or of a field block. */
  private static final long FRAME_NS = TimeUnit.SECONDS.toNanos(10);

  /** The time between two looks at streams whose content waits. */
  private static final long STALLED_LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  /** The time between two looks at streams that wait for the connection's flow-control window. */
  private static final long WINDOW_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long DRAIN_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long HOLDING_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Http2Connection connection;

  private long settingsNs = Deadlines.NEVER;
  private long frameNs = Deadlines.NEVER;
  private long stalledNs = Deadlines.NEVER;
  private long windowNs = Deadlines.NEVER;
  private long drainNs = Deadlines.NEVER;
  private long closeNs = Deadlines.NEVER;
  private long pauseNs = Deadlines.NEVER;
  private long holdingNs = Deadlines.NEVER;

  ConnectionTimer(Http2Connection connection, Deadlines deadlines) {
    this.connection = connection;
    deadlines.join(this);
  }

  private long after(long ns) {
    return connection.loop.clock.nowNs() + ns;
  }

  /** The connection has begun. */
  void start() {
    settingsNs = after(SETTINGS_NS);
    arm();
  }

  /** The peer has acknowledged our settings. */
  void settingsTaken() {
    settingsNs = Deadlines.NEVER;
    arm();
  }

  /**
   * Records after each read whether a frame or a field block is incomplete.
   *
   * @param hasEnded whether the one that was incomplete before has ended.
   */
  void frameIsOpen(boolean open, boolean hasEnded) {
    if (open ? hasEnded || frameNs == Deadlines.NEVER : frameNs != Deadlines.NEVER) {
      frameNs = open ? after(FRAME_NS) : Deadlines.NEVER;
      arm();
    }
  }

  /** Some stream has content that waits. */
  void watchStalled() {
    if (stalledNs == Deadlines.NEVER) {
      stalledNs = after(STALLED_LOOK_NS);
      arm();
    }
  }

  /** Some stream waits for the connection's flow-control window. */
  void watchWindow() {
    if (windowNs == Deadlines.NEVER) {
      windowNs = after(WINDOW_LOOK_NS);
      arm();
    }
  }

  void drainSoon() {
    drainNs = after(DRAIN_NS);
    arm();
  }

  /** Closes the connection soon: the peer may still read GOAWAY, but not delay the end. */
  void closeSoon() {
    closeAfter(CLOSE_NS);
  }

  /** Closes the connection once the peer has read its last responses, or stops reading. */
  void closeWhenTaken() {
    closeAfter(connection.events.stalledNs());
  }

  private void closeAfter(long ns) {
    settingsNs = frameNs = stalledNs = windowNs = Deadlines.NEVER;
    drainNs = pauseNs = holdingNs = Deadlines.NEVER;
    closeNs = after(ns);
    arm();
  }

  /** Pauses reading for a moment. */
  void pause() {
    pauseNs = after(PAUSE_NS);
    arm();
  }

  /** The connection holds more than it may. */
  void holdsTooMuch() {
    holdingNs = after(HOLDING_NS);
    arm();
  }

  boolean isPaused() {
    return pauseNs != Deadlines.NEVER;
  }

  private void arm() {
    deadline(
        Math.min(
            Math.min(Math.min(settingsNs, frameNs), Math.min(stalledNs, drainNs)),
            Math.min(Math.min(closeNs, windowNs), Math.min(pauseNs, holdingNs))));
  }

  @Override
  protected void onDeadline() {
    final long nowNs = connection.loop.clock.nowNs();
    if (closeNs <= nowNs) {
      connection.close();
    } else if (settingsNs <= nowNs) {
      connection.handler.fail(ErrorCode.SETTINGS_TIMEOUT, "no SETTINGS acknowledged in time");
    } else if (frameNs <= nowNs) {
      connection.handler.fail(ErrorCode.ENHANCE_YOUR_CALM, "a frame or a field block has no end");
    } else {
      if (drainNs <= nowNs) {
        drainNs = Deadlines.NEVER;
        connection.goAways.finish();
      }
      if (stalledNs <= nowNs) {
        connection.stalled.end(nowNs);
        connection.bound.look();
        stalledNs =
            connection.queue.streamsWaiting() > 0 ? nowNs + STALLED_LOOK_NS : Deadlines.NEVER;
      }
      if (windowNs <= nowNs) {
        windowNs = connection.windowWait.look(nowNs) ? nowNs + WINDOW_LOOK_NS : Deadlines.NEVER;
      }
      if (pauseNs <= nowNs) {
        pauseNs = Deadlines.NEVER;
        connection.handler.resumeReading();
      }
      if (holdingNs <= nowNs) {
        holdingNs = Deadlines.NEVER; // unless there is still too much, and it is watched on
        connection.bound.overdue();
      }
      arm();
    }
  }
}
