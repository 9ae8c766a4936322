package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.spec.CidrSet;

/**
 * The settings by which clients are told apart.
 *
 * @param trustedProxies peers whose {@code client-ip-header} is trusted.
 * @param ipv6Prefix the bits of an IPv6 address that make one client, 1 to 128, as one client has
 *     all addresses of its network.
 */
public record IdentitySettings(
    CidrSet trustedProxies, ClientIpField clientIpField, int ipv6Prefix) {
  public static final IdentitySettings DEFAULT =
      new IdentitySettings(CidrSet.EMPTY, ClientIpField.X_FORWARDED_FOR, 64);
}
