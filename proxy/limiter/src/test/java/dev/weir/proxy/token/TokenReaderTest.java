package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.token.KeySet.VerificationKey;
import dev.weir.proxy.token.TokenVerifier.Finding;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenReaderTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final byte[] SUB = "sub".getBytes(StandardCharsets.US_ASCII);
  private static final VerificationKey FIRST = new VerificationKey(0, "1", null, null);
  private static final VerificationKey SECOND = new VerificationKey(0, "2", null, null);

  private final TokenKeys keys = new TokenKeys();
  private final List<String> verified = new ArrayList<>();
  private long nowNs = 1_000 * SECOND_NS;
  private long elapsedNs = 1;
  private long client = ClientKey.NONE;
  private final TokenReader reader =
      new TokenReader(
          keys,
          this::verify,
          KeyHasher.withKey(1, 2),
          request -> client,
          () -> nowNs,
          () -> elapsedNs);
  private final ExpandableArrayBuffer value = new ExpandableArrayBuffer();

  /** Tokens are {@code KEY.SUBJECT.EXPIRES}; those without a key in the set are bad. */
  private Finding verify(String token, KeySet set, long nowSeconds) {
    verified.add(token);
    String[] parts = token.split("\\.");
    elapsedNs += parts[0].equals("slow") ? SECOND_NS / 1000 : 0;
    for (VerificationKey key : set.keys()) {
      if (key.id().equals(parts[0])) {
        byte[] claims = Claims.encode(Map.of("sub", parts[1]), 100);
        return new Finding(null, key.number(), Long.parseLong(parts[2]), claims);
      }
    }
    return Finding.bad(RefusalReason.TOKEN_KEY_UNKNOWN);
  }

  private static RequestView request(String... authorization) {
    List<String> fields = new ArrayList<>();
    for (String each : authorization) {
      fields.addAll(List.of("Authorization", each));
    }
    return TextRequest.of("GET", "/", fields.toArray(String[]::new));
  }

  private RefusalReason read(String... authorization) {
    return reader.read(request(authorization));
  }

  private String subject() {
    int length = reader.claim(SUB, value, 0);
    return length < 0 ? null : value.getStringWithoutLengthUtf8(0, length);
  }

  @Test
  void readsClaimsOfTheBearersToken() {
    keys.replace(List.of(FIRST));
    for (String scheme : List.of("Bearer ", "bearer ", "BEARER ", "bEaReR   ")) {
      assertNull(read(scheme + "1.ann.2000"));
      assertEquals("ann", subject());
    }
    assertEquals(ClaimReader.ABSENT, reader.claim(new byte[] {'x'}, value, 0));
    assertEquals(List.of("1.ann.2000"), verified);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Basic YTpi", "Bearerx", "Beare r", "Bearer1.ann.2000", "1.ann.2000"})
  void anotherSchemeIsNoToken(String authorization) {
    keys.replace(List.of(FIRST));
    assertNull(read(authorization));
    assertNull(subject());
    assertNull(read());
    assertNull(subject());
  }

  @Test
  void refusesWhatCannotBeOneToken() {
    keys.replace(List.of(FIRST));
    String good = "Bearer 1.ann.2000";
    assertNull(read(good));
    for (String[] bad :
        List.of(
            new String[] {good, good},
            new String[] {good, "Basic YTpi"},
            new String[] {"Bearer"},
            new String[] {"Bearer "},
            new String[] {"Bearer\t1.ann.2000"},
            new String[] {"bearer:1.ann.2000"},
            new String[] {"Bearer,1.ann.2000"},
            new String[] {"Bearer=1.ann.2000"},
            new String[] {"Bearer\u00a01.ann.2000"},
            new String[] {"Bearer " + "x".repeat(TokenReader.MAX_BYTES + 1)},
            new String[] {"Bearer " + "x".repeat(64 << 10)})) {
      assertEquals(RefusalReason.TOKEN_MALFORMED, read(bad));
      assertNull(subject());
    }
    assertEquals(1, verified.size());
    read("Bearer " + "x".repeat(TokenReader.MAX_BYTES));
    assertEquals(2, verified.size());
  }

  @Test
  void verifiesATokenOnceUntilItExpires() {
    keys.replace(List.of(FIRST));
    for (int i = 0; i < 3; i++) {
      assertNull(read("Bearer 1.ann.2000"));
      assertNull(read("Bearer 1.bob.2000"));
      assertEquals("bob", subject());
    }
    nowNs = 2_000 * SECOND_NS - 1;
    assertNull(read("Bearer 1.ann.2000"));
    assertEquals(2, verified.size());
    nowNs++;
    read("Bearer 1.ann.2000");
    assertEquals(3, verified.size());
  }

  @Test
  void verifiesATokenThatNeverExpiresOnceADay() {
    keys.replace(List.of(FIRST));
    String token = "Bearer 1.ann." + Long.MAX_VALUE;
    assertNull(read(token));
    nowNs += TimeUnit.DAYS.toNanos(1) - 1;
    assertNull(read(token));
    assertEquals(1, verified.size());
    nowNs++;
    assertNull(read(token));
    assertEquals(2, verified.size());
  }

  @Test
  void verifiesABadTokenOnceInTenSecondsUnlessKeysChange() {
    keys.replace(List.of(FIRST));
    for (int i = 0; i < 3; i++) {
      assertEquals(RefusalReason.TOKEN_KEY_UNKNOWN, read("Bearer 2.ann.2000"));
      assertNull(subject());
    }
    assertEquals(1, verified.size());
    nowNs += TokenReader.BAD_TOKEN_NS;
    assertEquals(RefusalReason.TOKEN_KEY_UNKNOWN, read("Bearer 2.ann.2000"));
    assertEquals(2, verified.size());
    assertTrue(keys.isKeyWanted());
    keys.takeKeyWanted();
    assertFalse(keys.isKeyWanted());
    keys.replace(List.of(FIRST, SECOND));
    assertNull(read("Bearer 2.ann.2000"));
  }

  @Test
  void aRemovedKeyEndsTheTokensThatItVerified() {
    keys.replace(List.of(FIRST, SECOND));
    assertNull(read("Bearer 1.ann.2000"));
    assertNull(read("Bearer 2.bob.2000"));
    keys.replace(List.of(SECOND));
    assertEquals(RefusalReason.TOKEN_KEY_UNKNOWN, read("Bearer 1.ann.2000"));
    assertNull(subject());
    assertNull(read("Bearer 2.bob.2000"));
    assertEquals("bob", subject());
    assertEquals(3, verified.size(), "the token of the key that stayed is still remembered");
  }

  @Test
  void refusesTokensForTheTimeBeingWhileNoKeysAreKnown() {
    assertEquals(RefusalReason.TOKEN_KEYS_UNAVAILABLE, read("Bearer 1.ann.2000"));
    assertNull(read());
    assertEquals(List.of(), verified);
    keys.replace(List.of(FIRST));
    assertNull(read("Bearer 1.ann.2000"));
  }

  /** Different bad tokens without end must not take an event loop's time. */
  @Test
  void verifiesFewBadTokensOfOneClientAndMoreOfAll() {
    keys.replace(List.of(FIRST));
    assertNull(read("Bearer 1.known.2000"));
    client = 5;
    int ofOne = countVerified();
    assertTrue(ofOne >= 10 && ofOne < 12, ofOne + " of 1 ms each, within a burst of 10 ms");
    assertEquals(RefusalReason.TOO_MANY_BAD_TOKENS, read("Bearer 1.new.2000"));
    assertNull(read("Bearer 1.known.2000"), "tokens that are known pass");
    client = 6;
    assertNull(read("Bearer 1.new.2000"), "and those of other clients");
    int ofAll = ofOne;
    for (int i = 0; i < 100; i++) {
      client = 7 + i;
      ofAll += countVerified();
    }
    assertTrue(ofAll >= 100 && ofAll < 130, ofAll + " of 1 ms each, within a burst of 100 ms");
    client = ClientKey.NONE;
    assertEquals(RefusalReason.TOO_MANY_BAD_TOKENS, read("Bearer 1.newer.2000"));
    elapsedNs += SECOND_NS;
    assertNull(read("Bearer 1.newer.2000"));
  }

  private int countVerified() {
    int before = verified.size();
    for (int i = 0; i < 100; i++) {
      if (read("Bearer slow." + verified.size() + ".1") == RefusalReason.TOO_MANY_BAD_TOKENS) {
        break;
      }
    }
    return verified.size() - before;
  }

  @Test
  void aClockSetBackKeepsNoTokenOut() {
    keys.replace(List.of(FIRST));
    client = 5;
    countVerified();
    nowNs -= 500 * SECOND_NS;
    assertEquals(RefusalReason.TOO_MANY_BAD_TOKENS, read("Bearer 1.new.2000"));
    elapsedNs += SECOND_NS;
    assertNull(read("Bearer 1.new.2000"));
  }

  @Test
  void looksUpATokenWithoutAllocating() {
    keys.replace(List.of(FIRST));
    RequestView good = request("Bearer 1.ann.2000");
    RequestView bad = request("Bearer 2.ann.2000");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1_000; i++) {
        reader.read(good);
        reader.claim(SUB, value, 0);
        reader.read(bad);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < 1_000, least + " bytes in 2,000 look-ups");
  }

  @Test
  void remembersManyTokens() {
    keys.replace(List.of(FIRST));
    Map<String, RequestView> requests = new HashMap<>();
    for (int i = 0; i < TokenReader.GOOD_TOKENS / 2; i++) {
      requests.put("user" + i, request("Bearer 1.user" + i + ".2000"));
    }
    for (int round = 0; round < 2; round++) {
      requests.forEach(
          (user, request) -> {
            assertNull(reader.read(request));
            assertEquals(user, subject());
          });
    }
    int again = verified.size() - requests.size();
    assertTrue(again < requests.size() / 20, again + " verified again");
  }
}
