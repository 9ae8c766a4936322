package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import java.util.function.Consumer;

/**
 * The requests that wait for a place on the connections of a pool, for so long at most, and are
 * served in their order once there are places. They are served in a task of its own, so that nobody
 * is handed a connection within the call of another client; until it has run, nobody passes those
 * who wait.
 *
 * @param <T> what stands for a request.
 */
public final class WaitingRequests<T> {
  /** What is waited for. */
  public interface Places<T> {
    /** Whether there is a place, whoever it is for. */
    boolean hasRoom();

    /** Whether a client has still a share of the places. */
    boolean hasRoom(long client);

    /** Whether the place that there is would do for a request. */
    default boolean suits(T request) {
      return true;
    }

    /** Gives a place to a request, which waits no more; there is one. */
    void give(T request, long client);

    /** A request waits no more: its time is over. */
    void refuse(T request);

    /** There is no place for those who still wait. */
    default void hasNoRoom() {}
  }

  private final UpstreamLoop loop;
  private final Places<T> places;
  private final UpstreamQueue<T> queue;

  /** Ends when the first in the queue has waited for too long; those behind it have more time. */
  private final ServiceTimer deadline =
      new ServiceTimer() {
        @Override
        protected void onDeadline() {
          try {
            refuseOverdue();
          } finally {
            waitForFirst();
          }
        }
      };

  private final Runnable serve = this::serve;

  /** Whether those who wait are about to be served. */
  private boolean serving;

  /**
   * @param capacity how many may wait.
   */
  public WaitingRequests(UpstreamLoop loop, int capacity, Places<T> places) {
    this.loop = loop;
    this.places = places;
    queue = new UpstreamQueue<>(capacity);
    loop.deadlines().join(deadline);
  }

  /** Whether a client's request has a place at once, and need not wait. */
  public boolean maySkip(long client) {
    return !serving && places.hasRoom(client) && places.hasRoom();
  }

  /** Whether one more request of a client may wait. */
  public boolean hasRoom(long client) {
    return queue.hasRoom(client);
  }

  /** Lets a request wait; there is room. */
  public void add(T request, long client) {
    queue.add(request, client, loop.clock().nowNs() + loop.settings().timeouts().queueNs());
    waitForFirst();
    loop.observer().upstreamWaitBegun();
  }

  /** How many wait. */
  public int size() {
    return queue.size();
  }

  /** One of those that wait, by its place. */
  public T get(int index) {
    return queue.get(index);
  }

  /** A request waits no more, if it did. */
  public void remove(T request) {
    int index = queue.indexOf(request);
    if (index >= 0) {
      remove(index);
    }
  }

  /** Takes out who waits at a place. */
  public T remove(int index) {
    T request = queue.remove(index);
    waitForFirst();
    loop.observer().upstreamWaitEnded();
    return request;
  }

  /** Takes all out that wait now, and not who comes within a call. */
  public void removeAll(Consumer<T> taker) {
    for (int left = queue.size(); left > 0 && queue.size() > 0; left--) {
      taker.accept(remove(0));
    }
  }

  /** There may be places for those who wait. */
  public void serveSoon() {
    if (queue.size() > 0 && !serving) {
      serving = true;
      loop.eventLoop().execute(serve);
    }
  }

  private void serve() {
    loop.clock().tick();
    try {
      for (int i = 0; i < queue.size(); ) {
        long client = queue.client(i);
        if (!places.hasRoom()) {
          places.hasNoRoom();
          break;
        }
        if (places.hasRoom(client) && places.suits(queue.get(i))) {
          places.give(remove(i), client);
          i = 0; // others may have left the queue, or joined it, within the call
        } else {
          i++;
        }
      }
    } finally {
      serving = false;
    }
  }

  private void waitForFirst() {
    deadline.until(queue.size() == 0 ? Deadlines.NEVER : queue.firstDeadlineNs());
  }

  private void refuseOverdue() {
    while (queue.size() > 0 && queue.firstDeadlineNs() <= loop.clock().nowNs()) {
      places.refuse(remove(0));
    }
  }
}
