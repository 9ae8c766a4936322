package dev.weir.proxy.loop;

import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * The end of an event loop's turn, when what was written within it is sent: a connection on which
 * something was written joins, and is told once, however much that was. One per event loop, used by
 * its thread only.
 *
 * <p>The loop runs its tasks behind the reads of a turn, so that the end is a task, always the same
 * one; with io_uring it comes sooner ({@link IoUringTurns}).
 */
public final class TurnEnd {
  /** The members that have written, and send at the end of the turn. */
  public interface Member {
    /** The turn has ended: sends what was written. The member has left, and may join again. */
    void turnEnded();
  }

  private final Executor eventLoop;
  private final Runnable end = this::end;
  private Member[] members = new Member[16];
  private Member[] ending = new Member[16];
  private int count;
  private boolean scheduled;

  /**
   * @param eventLoop runs what it is given behind the reads of the present turn.
   */
  public TurnEnd(Executor eventLoop) {
    this.eventLoop = eventLoop;
  }

  /** Tells {@code member} at the end of this turn; it joins once until then. */
  public void join(Member member) {
    if (count == members.length) {
      members = Arrays.copyOf(members, 2 * count);
    }
    members[count++] = member;
    if (!scheduled) {
      scheduled = true;
      if (!IoUringTurns.endWithReads(end)) {
        eventLoop.execute(end);
      }
    }
  }

  private void end() {
    scheduled = false;
    final Member[] told = members;
    final int toldCount = count;
    members = ending;
    ending = told;
    count = 0; // whoever joins within a call is told in the next turn
    for (int i = 0; i < toldCount; i++) {
      final Member member = told[i];
      told[i] = null;
      try {
        member.turnEnded();
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("the end of an event loop's turn", bug);
      }
    }
  }
}
