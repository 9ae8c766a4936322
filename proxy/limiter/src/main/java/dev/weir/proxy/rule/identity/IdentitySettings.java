package dev.weir.proxy.rule.identity;

/**
 * How clients are told apart.
 *
 * @param trustedProxies peers that are believed about who stands behind them.
 * @param ipv6Prefix the bits of an IPv6 address that make one client, 1 to 128: who has one address
 *     of a /64 has them all.
 */
public record IdentitySettings(
    CidrSet trustedProxies, ClientIpField clientIpField, int ipv6Prefix) {
  public static final IdentitySettings DEFAULT =
      new IdentitySettings(CidrSet.EMPTY, ClientIpField.X_FORWARDED_FOR, 64);
}
