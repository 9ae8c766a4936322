package dev.weir.proxy.virtual;

import java.util.ArrayList;
import java.util.List;

/** All exchanges of one episode. */
final class Exchanges {
  private final List<Exchange> all = new ArrayList<>();

  private final String keys;
  private final boolean isCalm;

  /**
   * @param keys begins the names of all clients.
   * @param isCalm whether nobody does anything bad, so that every request must be served.
   */
  Exchanges(String keys, boolean isCalm) {
    this.keys = keys;
    this.isCalm = isCalm;
  }

  /** Whether nobody does anything bad. */
  boolean isCalm() {
    return isCalm;
  }

  /** One more. */
  Exchange next(Choices choices) {
    Exchange exchange = new Exchange(all.size(), keys, isCalm, choices);
    all.add(exchange);
    return exchange;
  }

  /** The one of a path, as the service has it. */
  Exchange of(String path) {
    if (!path.startsWith("/x/")) {
      throw new AssertionError("the service is asked for " + path);
    }
    return all.get(Integer.parseInt(path.substring(3)));
  }

  List<Exchange> all() {
    return all;
  }
}
