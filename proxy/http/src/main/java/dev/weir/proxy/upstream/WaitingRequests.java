package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.FairCap;
import java.util.function.Consumer;

/**
 * The requests that wait for a place on the connections of a pool: each for so long at most, first
 * come, first served; one that may not be served yet lets those behind it pass. No client takes all
 * places of the queue. Requests are served in a task of its own, so that nobody is handed a
 * connection within the call of another client; until it has run, nobody passes those who wait.
 * Nothing is made per request.
 *
 * @param <T> what stands for a request.
 */
public final class WaitingRequests<T> {
  /** The places on connections that requests wait for. */
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

    /** No place is left for those who still wait. */
    default void hasNoRoom() {}
  }

  private final UpstreamLoop loop;
  private final Places<T> places;
  private final Runnable serve = this::serve;

  /** The places of the queue. */
  private final FairCap queue;

  // The requests that wait, in their order: no deadline is before that of the request in front.
  private final Object[] requests;
  private final long[] clients;
  private final long[] deadlinesNs;
  private int size;

  /** Ends when the first in the queue has waited for too long. */
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

  /** Whether those who wait are about to be served. */
  private boolean serving;

  /**
   * @param capacity how many may wait.
   */
  public WaitingRequests(UpstreamLoop loop, int capacity, Places<T> places) {
    this.loop = loop;
    this.places = places;
    queue = new FairCap(capacity);
    requests = new Object[capacity];
    clients = new long[capacity];
    deadlinesNs = new long[capacity];
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
    queue.take(client);
    requests[size] = request;
    clients[size] = client;
    deadlinesNs[size++] = loop.clock().nowNs() + loop.settings().timeouts().queueNs();
    waitForFirst();
    loop.observer().upstreamWaitBegun();
  }

  /** The number of requests that wait. */
  public int size() {
    return size;
  }

  /** A request that waits, by its place: 0 for the first. */
  @SuppressWarnings("unchecked") // only add() puts something there
  public T get(int index) {
    return (T) requests[index];
  }

  /** A request waits no more, if it did. */
  public void remove(T request) {
    for (int i = 0; i < size; i++) {
      if (requests[i] == request) {
        remove(i);
        return;
      }
    }
  }

  /** Takes out the request at a place. */
  public T remove(int index) {
    T removed = get(index);
    queue.leave(clients[index]);
    int behind = size - index - 1;
    System.arraycopy(requests, index + 1, requests, index, behind);
    System.arraycopy(clients, index + 1, clients, index, behind);
    System.arraycopy(deadlinesNs, index + 1, deadlinesNs, index, behind);
    requests[--size] = null;
    waitForFirst();
    loop.observer().upstreamWaitEnded();
    return removed;
  }

  /** Takes out all requests that wait now, and none that comes within a call. */
  public void removeAll(Consumer<T> taker) {
    for (int left = size; left > 0 && size > 0; left--) {
      taker.accept(remove(0));
    }
  }

  /** Has those who wait served soon: there may be places for them. */
  public void serveSoon() {
    if (size > 0 && !serving) {
      serving = true;
      loop.eventLoop().execute(serve);
    }
  }

  private void serve() {
    loop.clock().tick();
    try {
      for (int i = 0; i < size; ) {
        long client = clients[i];
        if (!places.hasRoom()) {
          places.hasNoRoom();
          break;
        }
        if (places.hasRoom(client) && places.suits(get(i))) {
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
    deadline.until(size == 0 ? Deadlines.NEVER : deadlinesNs[0]);
  }

  private void refuseOverdue() {
    while (size > 0 && deadlinesNs[0] <= loop.clock().nowNs()) {
      places.refuse(remove(0));
    }
  }
}
