package dev.weir.proxy.store;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.log.Incident.Ends;
import dev.weir.proxy.log.Incidents;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports faults of each server to the log: one line at the beginning and one at the end, however
 * many event loops and requests find out. Any thread.
 */
final class StoreHealth {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

  private final Incidents away;
  private final Incidents refusing;

  StoreHealth() {
    this(System::nanoTime, Incident.ON_A_DAEMON_THREAD);
  }

  /**
   * @param clockNs monotonic.
   */
  StoreHealth(LongSupplier clockNs, Incident.Timer timer) {
    away =
        new Incidents(
            server ->
                new Incident(
                    LOG,
                    "redis " + server,
                    "each rule's on-store-failure decides for its keys",
                    "connected, decides again",
                    Ends.BY_WORD,
                    clockNs,
                    timer));
    refusing =
        new Incidents(
            server ->
                new Incident(
                    LOG,
                    "redis" + (server.isEmpty() ? "" : " " + server),
                    "each rule's on-store-failure decides for its keys",
                    "has refused nothing for a minute",
                    Ends.BY_QUIET,
                    clockNs,
                    timer));
  }

  /** There is no connection to a server. */
  void down(String server, String cause) {
    away.noticed(server, cause);
  }

  /** A server is connected and decides. */
  void up(String server) {
    away.ended(server);
  }

  /** A server answers calls with an error. */
  void refused(String server, String error) {
    // The whole cluster is down, whoever says so.
    boolean isOfAll = ErrorReply.of(error) == ErrorReply.CLUSTERDOWN;
    refusing.noticed(isOfAll ? "" : server, error);
  }
}
