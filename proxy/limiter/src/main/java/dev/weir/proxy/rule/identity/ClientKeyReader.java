package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.CidrSet;

/**
 * The address by which a client gets its share of a bound: the one that {@code key: ip} counts,
 * IPv6 by its /64. A trusted proxy that names no client has none, as it stands for many clients;
 * nor has a peer over loopback or a Unix socket, as it belongs to the service or is a proxy.
 */
public final class ClientKeyReader implements ClientKey {
  private static final int LOOPBACK_NET = 127;

  private final ClientIpReader clientIp;
  private final CidrSet trusted;

  /**
   * @param clientIp of the same event loop.
   */
  public ClientKeyReader(IdentitySettings settings, ClientIpReader clientIp) {
    this.clientIp = clientIp;
    this.trusted = settings.trustedProxies();
  }

  @Override
  public long of(RequestView request) {
    clientIp.read(request);
    long high = clientIp.high();
    long low = clientIp.low();
    if (high == 0 && isLoopback(low) || trusted.contains(high, low)) {
      return NONE;
    }
    // No network of IPv6 has an upper half that looks like the lower one of a mapped address.
    return high == 0 ? low : high;
  }

  private static boolean isLoopback(long low) {
    return low >>> 32 == 0xFFFF ? (low >>> 24 & 0xFF) == LOOPBACK_NET : low == 1;
  }
}
