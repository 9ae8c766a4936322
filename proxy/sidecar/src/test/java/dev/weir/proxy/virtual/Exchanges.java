package dev.weir.proxy.virtual;

import java.util.ArrayList;
import java.util.List;

/** All exchanges of one episode. */
final class Exchanges {
  private final List<Exchange> all = new ArrayList<>();

  private final String keys;
  private final boolean isCalm;
  private final boolean hasUnread;
  private final boolean hasCosts;

  /** How much has been seen of exchanges. */
  private int moments;

  /**
   * @param keys begins the names of all clients.
   * @param isCalm whether nobody does anything bad, so that every request must be served.
   * @param hasUnread whether the service does not read the first one, which is no harm to others.
   * @param hasCosts whether responses tell what their requests cost.
   */
  Exchanges(String keys, boolean isCalm, boolean hasUnread, boolean hasCosts) {
    this.keys = keys;
    this.isCalm = isCalm;
    this.hasUnread = hasUnread;
    this.hasCosts = hasCosts;
  }

  /** Whether nobody does anything bad. */
  boolean isCalm() {
    return isCalm;
  }

  /** Whether the service does not read one of them. */
  boolean hasUnread() {
    return hasUnread;
  }

  /** One more. */
  Exchange next(Choices choices) {
    boolean isNotRead = hasUnread && all.isEmpty();
    Exchange exchange =
        new Exchange(all.size(), keys, isCalm, isNotRead, hasCosts, () -> ++moments, choices);
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
