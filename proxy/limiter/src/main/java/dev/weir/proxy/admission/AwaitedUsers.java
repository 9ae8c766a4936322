package dev.weir.proxy.admission;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The parked questions of one event loop that wait for their users, who are being read: copies, as
 * a question ends with the call that asks it. Each is asked again once the reading of its user has
 * ended, or its time is up; on the event loop, never within another question. Those of one user are
 * asked in the order in which they came.
 */
final class AwaitedUsers implements RecordedUsers.Waiter {
  /** Questions that may wait at a time; others are decided by what is known. */
  static final int MAX_COUNT = 4096;

  /** Bytes that all copies may have. */
  static final int MAX_BYTES = 4 << 20;

  /** The longest question whose memory is kept for the next one. */
  private static final int MAX_KEPT_BYTES = 4 << 10;

  /** Receives the questions that wait no longer. */
  interface Asker {
    /**
     * @param question valid during the call.
     */
    void askAgain(long ticket, Question question);
  }

  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Asker asker;
  private final WakeUp wakeUp;
  private final HeldRequests byTime = new HeldRequests();
  private final FreeList<Waiting> free = new FreeList<>(MAX_COUNT, Waiting::new);

  /** The first question of each user. */
  private final Long2ObjectHashMap<Waiting> firsts = new Long2ObjectHashMap<>();

  /** By the place in their tickets. */
  private Waiting[] waiting = {};

  private int bytes;

  /** A question that waits, among those of its user. */
  private static final class Waiting {
    private final Question question = new Question();
    private final ExpandableArrayBuffer head = new ExpandableArrayBuffer();
    private final ExpandableArrayBuffer given = new ExpandableArrayBuffer();
    private RequestView view = new RequestView(0);
    private int bytes;
    private long ticket;
    private long user;
    private Waiting previous;
    private Waiting next;

    /** The last one of the user, if this is the first. */
    private Waiting last;

    private void copy(Question of) {
      RequestView request = of.request();
      if (request != null && request.fieldCount() > view.maxFieldCount()) {
        view = new RequestView(request.maxFieldCount());
      }
      bytes = of.copiedBytes();
      question.copy(of, view, head, given);
    }
  }

  AwaitedUsers(EventLoop eventLoop, LoopClock clock, Asker asker) {
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.asker = asker;
    this.wakeUp = new WakeUp(eventLoop, clock, this::timeIsUp);
  }

  /** Whether a question may wait, too. */
  boolean hasRoom(Question question) {
    return byTime.size() < MAX_COUNT && bytes + question.copiedBytes() <= MAX_BYTES;
  }

  /**
   * Has a question wait; there must be room.
   *
   * @param user the hash of its user, whose reading {@link #ended} will tell the end of.
   * @param untilNs when it is asked again at the latest.
   */
  void add(long ticket, Question question, long user, long untilNs) {
    Waiting added = free.take();
    added.copy(question);
    added.ticket = ticket;
    added.user = user;
    bytes += added.bytes;
    int place = (int) ticket;
    if (place >= waiting.length) {
      waiting = Arrays.copyOf(waiting, Math.max(place + 1, 2 * waiting.length));
    }
    waiting[place] = added;
    Waiting first = firsts.get(user);
    if (first == null) {
      firsts.put(user, added);
      added.last = added;
    } else {
      added.previous = first.last;
      first.last.next = added;
      first.last = added;
    }
    byTime.add(ticket, untilNs, 0, 0);
    wakeUp.at(byTime.firstDueNs());
  }

  /** Forgets a question whose client has gone, if it waits. */
  void leave(long ticket) {
    if (byTime.contains(ticket)) {
      free(remove(ticket));
    }
  }

  int count() {
    return byTime.size();
  }

  @Override
  public void ended(long user) {
    try {
      eventLoop.execute(() -> askAll(user));
    } catch (RejectedExecutionException stopped) {
      // Nobody waits any more.
    }
  }

  private void askAll(long user) {
    // Ends: the reading has ended, so of this user no question waits that is asked from now on.
    for (Waiting first = firsts.get(user); first != null; first = firsts.get(user)) {
      ask(first.ticket);
    }
  }

  private void timeIsUp() {
    long nowNs = clock.tick();
    while (byTime.size() > 0 && byTime.firstDueNs() <= nowNs) {
      ask(byTime.first());
    }
    if (byTime.size() > 0) {
      wakeUp.at(byTime.firstDueNs());
    }
  }

  private void ask(long ticket) {
    Waiting asked = remove(ticket);
    try {
      asker.askAgain(ticket, asked.question);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a question that waited for its user", bug);
    } finally {
      free(asked);
    }
  }

  private Waiting remove(long ticket) {
    byTime.remove(ticket);
    Waiting gone = waiting[(int) ticket];
    waiting[(int) ticket] = null;
    if (gone.next != null) {
      gone.next.previous = gone.previous;
    }
    if (gone.previous != null) {
      gone.previous.next = gone.next;
      if (gone.next == null) {
        firsts.get(gone.user).last = gone.previous;
      }
    } else if (gone.next == null) {
      firsts.remove(gone.user);
    } else {
      gone.next.last = gone.last;
      firsts.put(gone.user, gone.next);
    }
    gone.previous = null;
    gone.next = null;
    gone.last = null;
    return gone;
  }

  private void free(Waiting gone) {
    bytes -= gone.bytes;
    if (gone.bytes <= MAX_KEPT_BYTES) {
      free.give(gone);
    }
  }
}
