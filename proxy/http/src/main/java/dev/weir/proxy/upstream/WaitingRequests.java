package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.FairCap;
import java.util.function.Consumer;

/**
 * The queue of requests that wait for a place on the connections of a pool: each for a limited
 * time, first come, first served; a request that may not be served yet lets later ones pass. No
 * client takes all places of the queue. Requests are served in a task of its own, never within a
 * call of another client; until it has run, new requests do not overtake the queue. Allocates
 * nothing per request.
 *
 * @param <T> represents a request.
 */
public final class WaitingRequests<T> {
  /** The places that requests wait for. */
  public interface Places<T> {
    /** Whether there is a place for any request. */
    boolean hasRoom();

    /** Whether a client's share of the places has room. */
    boolean hasRoom(long client);

    /** Whether the free place suits a request. */
    default boolean suits(T request) {
      return true;
    }

    /** Gives the free place to a request, which leaves the queue. */
    void give(T request, long client);

    /** Refuses a request, whose time is over. */
    void refuse(T request);

    /** Called if no place is left for the requests that still wait. */
    default void hasNoRoom() {}
  }

  private final UpstreamLoop loop;
  private final Places<T> places;
  private final Runnable serve = this::serve;

  /** The places in the queue. */
  private final FairCap queue;

  // The requests that wait, in their order: no deadline is before that of the request in front.
  private final Object[] requests;
  private final long[] clients;
  private final long[] deadlinesNs;
  private int size;

  /** The deadline of the first request in the queue. */
  private final Deadlines.Timer deadline = new Deadlines.Timer(this::refuseOverdue);

  /** Whether a task to serve the queue is pending. */
  private boolean serving;

  /**
   * @param capacity of the queue.
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

  /** Adds a request; there must be room. */
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

  /** The request at an index: 0 for the first. */
  @SuppressWarnings("unchecked") // only add() puts something there
  public T get(int index) {
    return (T) requests[index];
  }

  /** Removes a request, if it waits. */
  public void remove(T request) {
    for (int i = 0; i < size; i++) {
      if (requests[i] == request) {
        remove(i);
        return;
      }
    }
  }

  /** Removes the request at an index. */
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

  /** Removes all requests that wait now, but none that is added within a call. */
  public void removeAll(Consumer<T> taker) {
    for (int left = size; left > 0 && size > 0; left--) {
      taker.accept(remove(0));
    }
  }

  /** Serves the queue soon, as there may be places. */
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
    try {
      while (size > 0 && deadlinesNs[0] <= loop.clock().nowNs()) {
        places.refuse(remove(0));
      }
    } finally {
      waitForFirst();
    }
  }
}
