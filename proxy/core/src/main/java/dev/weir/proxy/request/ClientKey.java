package dev.weir.proxy.request;

/**
 * A number for the client of a request, by which clients get shares of scarce things: the same for
 * all requests of one client. Used by one event loop.
 */
public interface ClientKey {
  /** The key of requests whose client is unknown, so that there may be any number of clients. */
  long NONE = 0;

  /** The key of a request's client, or {@link #NONE}. */
  long of(RequestView request);
}
