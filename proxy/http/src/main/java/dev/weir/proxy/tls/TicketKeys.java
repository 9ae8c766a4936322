package dev.weir.proxy.tls;

import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/**
 * The keys of session tickets for one context of BoringSSL: made here, kept in memory only, and
 * changed in time. A ticket can be opened while its key is the newest or the one before. So it ends
 * with its key, although BoringSSL gives tickets of TLS 1.3 two days, whatever is set.
 */
final class TicketKeys {
  /** How long a key seals tickets, and then only opens them. */
  static final long SEALING_NS = TimeUnit.SECONDS.toNanos(TlsContexts.SESSION_SECONDS) / 2;

  private final SecureRandom random = new SecureRandom();
  private final OpenSslSessionContext sessions;
  private OpenSslSessionTicketKey newest;
  private long newestSinceNs;

  /** Gives a context its first key. */
  TicketKeys(OpenSslSessionContext sessions, long nowNs) {
    this.sessions = sessions;
    newest = newKey();
    newestSinceNs = nowNs;
    sessions.setTicketKeys(newest);
  }

  /** Makes a new key if the newest is old enough. Never while the context is released. */
  void pass(long nowNs) {
    long sealedNs = nowNs - newestSinceNs;
    if (sealedNs < SEALING_NS) {
      return;
    }
    OpenSslSessionTicketKey before = newest;
    newest = newKey();
    newestSinceNs = nowNs;
    if (sealedNs < 2 * SEALING_NS) {
      sessions.setTicketKeys(newest, before);
    } else {
      sessions.setTicketKeys(newest); // time has leapt: the machine has slept
    }
  }

  private OpenSslSessionTicketKey newKey() {
    return new OpenSslSessionTicketKey(
        bytes(OpenSslSessionTicketKey.NAME_SIZE),
        bytes(OpenSslSessionTicketKey.HMAC_KEY_SIZE),
        bytes(OpenSslSessionTicketKey.AES_KEY_SIZE));
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
