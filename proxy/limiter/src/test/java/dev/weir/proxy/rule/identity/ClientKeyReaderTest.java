package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientKeyReaderTest {
  private static final IdentitySettings SETTINGS =
      new IdentitySettings(
          CidrSet.of(List.of(Cidr.parse("10.0.0.0/8"))), ClientIpField.X_FORWARDED_FOR, 56);

  private final ClientKeyReader keys = new ClientKeyReader(SETTINGS, new ClientIpReader(SETTINGS));

  private long key(String peer, String... forwardedFor) {
    String[] fields = new String[2 * forwardedFor.length];
    for (int i = 0; i < forwardedFor.length; i++) {
      fields[2 * i] = "X-Forwarded-For";
      fields[2 * i + 1] = forwardedFor[i];
    }
    return keys.of(TextRequest.from(peer, "GET", "/", fields));
  }

  @Test
  void tellsAddressesApartAndTakesAnIpv6NetworkForOne() {
    assertNotEquals(key("192.0.2.1"), key("192.0.2.2"));
    assertEquals(key("2001:db8::1"), key("2001:db8::ffff:0:0:1"));
    assertNotEquals(key("2001:db8::1"), key("2001:db8:0:1::1"), "by its /64, whatever is set");
    assertNotEquals(ClientKey.NONE, key("192.0.2.1"));
    assertNotEquals(ClientKey.NONE, key("2001:db8::1"));
  }

  @Test
  void takesTheClientBehindATrustedProxyAndNobodyElsesWord() {
    assertEquals(key("192.0.2.1"), key("10.0.0.1", "192.0.2.1"));
    assertEquals(key("192.0.2.1"), key("192.0.2.1", "192.0.2.9"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "::1", "10.0.0.1"})
  void hasNoKeyForWhoMayBeMany(String peer) {
    assertEquals(ClientKey.NONE, key(peer));
    assertEquals(ClientKey.NONE, key("10.0.0.2", peer));
  }
}
