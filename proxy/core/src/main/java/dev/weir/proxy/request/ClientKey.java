package dev.weir.proxy.request;

/**
 * A number for the client of a request, where something scarce is shared out among clients: the
 * same for all that one client sends. Used by one event loop.
 */
public interface ClientKey {
  /** The key of requests behind which there may be any number of clients. */
  long NONE = 0;

  /** The key of a request's client, or {@link #NONE}. */
  long of(RequestView request);
}
