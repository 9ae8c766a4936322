package dev.weir.proxy.upstream;

import dev.weir.proxy.http1.ResponseSink;

/**
 * The requests that wait for a connection, first come, first served; one that may not be served yet
 * lets those behind it pass. No client takes all places. Nothing is made per request.
 */
final class UpstreamQueue {
  private final FairCap places;
  private final ResponseSink[] sinks;
  private final long[] clients;
  private final long[] deadlinesNs;
  private int size;

  UpstreamQueue(int capacity) {
    places = new FairCap(capacity);
    sinks = new ResponseSink[capacity];
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
  void add(ResponseSink sink, long client, long deadlineNs) {
    places.take(client);
    sinks[size] = sink;
    clients[size] = client;
    deadlinesNs[size++] = deadlineNs;
  }

  int size() {
    return size;
  }

  /** The place of a request, 0 for the first; -1 if it does not wait. */
  int indexOf(ResponseSink sink) {
    for (int i = 0; i < size; i++) {
      if (sinks[i] == sink) {
        return i;
      }
    }
    return -1;
  }

  long client(int index) {
    return clients[index];
  }

  /** When the first gives up; there is one. */
  long firstDeadlineNs() {
    return deadlinesNs[0];
  }

  /** Takes a request out. */
  ResponseSink remove(int index) {
    final ResponseSink removed = sinks[index];
    places.leave(clients[index]);
    int behind = size - index - 1;
    System.arraycopy(sinks, index + 1, sinks, index, behind);
    System.arraycopy(clients, index + 1, clients, index, behind);
    System.arraycopy(deadlinesNs, index + 1, deadlinesNs, index, behind);
    sinks[--size] = null;
    return removed;
  }
}
