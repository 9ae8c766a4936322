package dev.weir.proxy.loop;

import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * The end of an event loop's turn, when its output is flushed: a connection that has written
 * something joins, and is called once. One per event loop, used by its thread only.
 *
 * <p>The loop runs its tasks after the reads of a turn, so the end is a task, always the same one;
 * with io_uring it comes sooner ({@link IoUringTurns}).
 */
public final class TurnEnd {
  /** Something that has written, and flushes at the end of the turn. */
  public interface Member {
    /** The turn has ended: flush. The member has left, and may join again. */
    void turnEnded();
  }

  private final Executor eventLoop;
  private final Runnable end = this::end;
  private Member[] members = new Member[16];
  private Member[] ending = new Member[16];
  private int count;
  private boolean scheduled;

  /**
   * @param eventLoop runs tasks after the reads of the present turn.
   */
  public TurnEnd(Executor eventLoop) {
    this.eventLoop = eventLoop;
  }

  /** Calls {@code member} at the end of this turn; it must not join twice. */
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
