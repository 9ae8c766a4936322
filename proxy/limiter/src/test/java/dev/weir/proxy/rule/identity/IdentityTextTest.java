package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTextTest {
  private static final IdentityText CLEAR = new IdentityText(false, Set.of(), "key");
  private static final String HASH = "#[0-9a-f]{32}";

  private final UnsafeBuffer out = new UnsafeBuffer(new byte[1024]);

  /** Parts by their tags, as {@link IdentityReader} writes them. */
  private static final class Parts implements Identity {
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1024]);
    private int length;

    Parts add(byte tag, byte[] value) {
      buffer.putByte(length, tag);
      buffer.putInt(length + 1, value.length, ByteOrder.BIG_ENDIAN);
      buffer.putBytes(length + 5, value);
      length += 5 + value.length;
      return this;
    }

    Parts value(String text) {
      return add((byte) 1, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public long hash() {
      throw new AssertionError("not asked for");
    }

    @Override
    public DirectBuffer bytes() {
      return buffer;
    }

    @Override
    public int length() {
      return length;
    }
  }

  private String text(Identity identity) {
    return text(CLEAR, "header:a,header:b", identity);
  }

  private String text(IdentityText writer, String key, Identity identity) {
    int end = writer.write(KeySpec.parse(key), identity, out, 3);
    return out.getStringWithoutLengthAscii(3, end - 3);
  }

  @ParameterizedTest
  @CsvSource({
    "alice, alice",
    "a:b, a%3Ab",
    "a+b, a%2Bb",
    "{p001}, %7Bp001%7D",
    "#00, %2300",
    "!, %21",
    "=1.2.3.4, %3D1.2.3.4",
    "100%, 100%25",
    "user@host-1_2~3, user@host-1_2~3",
    "'a b', a%20b",
  })
  void encodesWhatCouldBeTakenForTheStructureOfAKey(String value, String expected) {
    assertEquals(expected, text(new Parts().value(value)));
  }

  @Test
  void encodesEveryByteThatIsNoLetterOrDigit() {
    assertEquals("%00%0A%FF", text(new Parts().value("\0\n\u00FF")));
  }

  @Test
  void tellsAbsentFromEmptyAndAnAddressFromItsSpelling() {
    byte[] v4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -64, 0, 2, 1};
    assertEquals("!", text(new Parts().add(IdentityReader.ABSENT, new byte[0])));
    assertEquals("", text(new Parts().value("")));
    assertEquals("192.0.2.1", text(new Parts().add(IdentityReader.ADDRESS, v4)));
    assertEquals("=192.0.2.1", text(new Parts().add(IdentityReader.STAND_IN, v4)));
  }

  @Test
  void writesAnIpv6AddressWithoutColons() {
    byte[] v6 = {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    assertEquals(
        "2001-0DB8-0000-0001-0000-0000-0000-0000",
        text(new Parts().add(IdentityReader.ADDRESS, v6)));
  }

  @Test
  void joinsPartsSuchThatNoneCanReachIntoAnother() {
    assertEquals("a%2Bb+c", text(new Parts().value("a+b").value("c")));
    assertEquals("a+b%2Bc", text(new Parts().value("a").value("b+c")));
  }

  @Test
  void hashesAnIdentityWhoseTextIsLong() {
    String hash = text(new Parts().value("x".repeat(200)));
    assertTrue(hash.matches(HASH), hash);
    assertNotEquals(hash, text(new Parts().value("x".repeat(201))));
    assertTrue(text(new Parts().value("x".repeat(100))).startsWith("xxx"));
  }

  /** The hash as the JDK computes it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 32, 64, 65, 200})
  void hashesByHmacWithSha256(int keyLength) throws GeneralSecurityException {
    String key = "k".repeat(keyLength);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    Parts parts = new Parts().value("alice");
    byte[] bytes = new byte[parts.length()];
    parts.bytes().getBytes(0, bytes);
    String expected = "#" + HexFormat.of().formatHex(mac.doFinal(bytes), 0, 16);
    assertEquals(expected, text(new IdentityText(true, Set.of(), key), "header:a", parts));
  }

  @ParameterizedTest
  @CsvSource({
    "api-key, true",
    "header:Authorization, true",
    "header:X-Auth-Token, true",
    "header:X-API-Key, true",
    "header:Ocp-Apim-Subscription-Key, true",
    "header:cookie, true",
    "cookie:theme, true",
    "query:access_token, true",
    "query:apiKey, true",
    "header:x-user-id, false",
    "header:host, false",
    "query:page, false",
  })
  void hashesWhatIsSecretAndNothingElse(String key, boolean isSecret) {
    String text = text(CLEAR, key, new Parts().value("alice"));
    assertEquals(isSecret, text.matches(HASH), text);
    assertEquals(isSecret, !text.equals("alice"), text);
    IdentityText asked =
        new IdentityText(false, Set.of(KeyPart.parse("header:X-User-Id")), "another key");
    String other = text(asked, key, new Parts().value("alice"));
    assertEquals(isSecret || key.equals("header:x-user-id"), other.matches(HASH), other);
    assertTrue(!isSecret || !other.equals(text), "by the key");
  }

  /** So names stay when a source that is secret is added or removed. */
  @Test
  void hashesTheFirstOfSeveralSourcesWhicheverTheyAre() {
    Parts parts = new Parts().value("alice");
    String plain = textOfFirst(parts, "header:x-user-id");
    assertTrue(plain.matches(HASH), plain);
    assertEquals(plain, textOfFirst(parts, "cookie:uid", "header:x-user-id"));
  }

  private String textOfFirst(Identity identity, String... sources) {
    IdentityNames names = new IdentityNames();
    names.addFirstOf("user", Stream.of(sources).map(KeyPart::parse).toList());
    int end = CLEAR.write(KeySpec.ofParts(names.parts("user")), identity, out, 0);
    return out.getStringWithoutLengthAscii(0, end);
  }

  @Test
  void hashesOnlyTheSecretPartsOfAComposite() {
    Parts parts = new Parts().value("s3cret").value("alice");
    String text = text(CLEAR, "api-key,header:x-user-id", parts);
    assertTrue(text.matches(HASH + "\\+alice"), text);
    byte[] v4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -64, 0, 2, 1};
    Parts standIn = new Parts().add(IdentityReader.STAND_IN, v4).value("alice");
    assertEquals("=192.0.2.1+alice", text(CLEAR, "api-key,header:x-user-id", standIn));
  }

  @Test
  void givesTwoIdentitiesNeverTheSameText() {
    Random random = new Random(5);
    Map<String, String> owners = new HashMap<>();
    String alphabet = "ab:+%!=#{}.\0";
    for (int step = 0; step < 100_000; step++) {
      Parts parts = new Parts();
      StringBuilder name = new StringBuilder();
      for (int part = 0; part < 2; part++) {
        if (random.nextInt(4) == 0) {
          parts.add(IdentityReader.ABSENT, new byte[0]);
          name.append("absent|");
          continue;
        }
        StringBuilder value = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
          value.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        parts.value(value.toString());
        name.append(value.length()).append(':').append(value).append('|');
      }
      String before = owners.putIfAbsent(text(parts), name.toString());
      assertTrue(before == null || before.equals(name.toString()), before + " and " + name);
    }
  }
}
