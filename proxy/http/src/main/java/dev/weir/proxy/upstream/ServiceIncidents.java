package dev.weir.proxy.upstream;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.log.Incident.Ends;
import dev.weir.proxy.loop.Addresses;
import java.net.SocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the log why the service cannot be used, with one line for all event loops. Any thread.
 */
public final class ServiceIncidents {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceIncidents.class);

  /** No connection can be opened, or its TLS handshake fails; the cause names the address. */
  final Incident unreachable;

  /** The service's name does not resolve. */
  final Incident unresolved;

  /** The service does not speak HTTP/2. */
  public final Incident notHttp2;

  /**
   * @param address in the settings.
   */
  ServiceIncidents(SocketAddress address) {
    String subject = "upstream " + Addresses.text(address);
    String refused = "requests get a 502 or 504";
    unreachable = new Incident(LOG, subject, refused, "connected again", Ends.BY_WORD);
    unresolved =
        new Incident(LOG, subject, "its last addresses stay", "resolves again", Ends.BY_WORD);
    notHttp2 = new Incident(LOG, subject, refused, "speaks HTTP/2 again", Ends.BY_WORD);
  }
}
