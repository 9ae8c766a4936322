package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.FairCap;

/**
 * The requests that wait for a connection, first come, first served; one that may not be served yet
 * lets those behind it pass. No client takes all places. Nothing is made per request.
 *
 * @param <T> what stands for a request.
 */
final class UpstreamQueue<T> {
  private final FairCap places;
  private final Object[] requests;
  private final long[] clients;
  private final long[] deadlinesNs;
  private int size;

  UpstreamQueue(int capacity) {
    places = new FairCap(capacity);
    requests = new Object[capacity];
    clients = new long[capacity];
    deadlinesNs = new long[capacity];
  }

  boolean hasRoom(long client) {
    return places.hasRoom(client);
  }

  /**
   * Adds a request at the end; there is room.
   *
   * @param deadlineNs none is before that of the request in front of it.
   */
  void add(T request, long client, long deadlineNs) {
    places.take(client);
    requests[size] = request;
    clients[size] = client;
    deadlinesNs[size++] = deadlineNs;
  }

  int size() {
    return size;
  }

  /** The place of a request, 0 for the first; -1 if it does not wait. */
  int indexOf(T request) {
    for (int i = 0; i < size; i++) {
      if (requests[i] == request) {
        return i;
      }
    }
    return -1;
  }

  @SuppressWarnings("unchecked") // only add() puts something there
  T get(int index) {
    return (T) requests[index];
  }

  long client(int index) {
    return clients[index];
  }

  /** When the first gives up; there is one. */
  long firstDeadlineNs() {
    return deadlinesNs[0];
  }

  /** Takes a request out. */
  T remove(int index) {
    final T removed = get(index);
    places.leave(clients[index]);
    int behind = size - index - 1;
    System.arraycopy(requests, index + 1, requests, index, behind);
    System.arraycopy(clients, index + 1, clients, index, behind);
    System.arraycopy(deadlinesNs, index + 1, deadlinesNs, index, behind);
    requests[--size] = null;
    return removed;
  }
}
