package dev.weir.proxy.store;

import dev.weir.proxy.log.PeerText;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with each server, for the log: one line when it changes, however many event loops
 * and requests find out. Any thread.
 */
final class StoreHealth {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);
  private static final long REPEAT_NS = 1_000_000_000;

  private final Map<String, Trouble> troubles = new ConcurrentHashMap<>();
  private final Map<String, Long> refusals = new ConcurrentHashMap<>();

  private final LongSupplier clockNs;

  /** What was told last of a server that is away. */
  private record Trouble(String cause, long toldNs) {}

  /**
   * @param clockNs monotonic.
   */
  StoreHealth(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /** No connection to a server. At most one line a second, and none for a cause told last. */
  void down(String server, String cause) {
    Trouble now = new Trouble(PeerText.shown(cause), clockNs.getAsLong());
    Trouble told =
        troubles.compute(
            server,
            (name, last) ->
                last == null
                        || !last.cause().equals(now.cause())
                            && now.toldNs() - last.toldNs() > REPEAT_NS
                    ? now
                    : last);
    if (told == now) { // the same object: of all event loops one has put it there
      LOG.warn(
          "redis {}: {}; each rule's on-store-failure decides for its keys", server, now.cause());
    }
  }

  void up(String server) {
    if (troubles.remove(server) != null) {
      LOG.info("redis {}: connected, decides again", server);
    }
  }

  /** The server answers calls with an error. At most one line a second. */
  void refused(String server, String error) {
    // The whole cluster is down, whoever says so.
    String subject = ErrorReply.of(error) == ErrorReply.CLUSTERDOWN ? "" : server;
    Long nowNs = clockNs.getAsLong();
    Long last =
        refusals.merge(subject, nowNs, (before, now) -> now - before > REPEAT_NS ? now : before);
    if (last == nowNs) { // the same object: of all event loops one has put it there
      LOG.warn("redis {}: refuses to decide: {}", server, PeerText.shown(error));
    }
  }

  /** The innermost cause of a fault, in one line: with the words of a server, as it said them. */
  static String cause(Throwable fault) {
    Throwable cause = fault;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause.getCause() != cause)) {
      cause = cause.getCause();
    }
    String text = cause.getMessage();
    return text == null ? cause.getClass().getSimpleName() : text.lines().findFirst().orElse(text);
  }
}
