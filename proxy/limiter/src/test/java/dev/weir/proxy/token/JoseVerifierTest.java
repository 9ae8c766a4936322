package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.token.TokenVerifier.Finding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jose4j.jwe.JsonWebEncryption;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JoseVerifierTest {
  private static final long NOW = 1_800_000_000;
  private static final TokenSettings SETTINGS =
      new TokenSettings(null, null, "https://id.example.com", "orders");
  private static final String CLAIMS =
      "{\"iss\":\"https://id.example.com\",\"aud\":[\"orders\",\"bills\"],\"exp\":1800000100,\"sub\":\"ann\"";
  private static final PublicJsonWebKey RSA = TestTokens.key("RSA", "rsa");
  private static final PublicJsonWebKey OTHER_RSA = TestTokens.key("RSA", "rsa");
  private static final PublicJsonWebKey EC = TestTokens.key("P-256", "ec");
  private static final PublicJsonWebKey ED = TestTokens.key("Ed25519", "ed");

  private final JoseVerifier verifier = new JoseVerifier(SETTINGS);
  private final TokenKeys keys = keys(RSA, EC, ED);

  private static TokenKeys keys(PublicJsonWebKey... all) {
    TokenKeys keys = new TokenKeys();
    use(keys, all);
    return keys;
  }

  private static void use(TokenKeys keys, PublicJsonWebKey... all) {
    try {
      keys.replace(KeySetReader.read(TestTokens.keySet(all).getBytes(StandardCharsets.UTF_8)));
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static String claims(String more) {
    return CLAIMS + more + "}";
  }

  private Finding verify(String token) {
    return verifier.verify(token, keys.inUse(), NOW);
  }

  private RefusalReason fault(String token) {
    return verify(token).fault();
  }

  private static String claim(Finding found, String name) {
    ExpandableArrayBuffer to = new ExpandableArrayBuffer();
    UnsafeBuffer from = new UnsafeBuffer(found.claims());
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    int length = Claims.copy(from, 0, from.capacity(), utf8, to, 0);
    return length < 0
        ? Integer.toString(length)
        : new String(to.byteArray(), 0, length, StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "RSA, RS256",
    "RSA, RS384",
    "RSA, RS512",
    "RSA, PS256",
    "RSA, PS384",
    "RSA, PS512",
    "P-256, ES256",
    "P-384, ES384",
    "P-521, ES512",
    "Ed25519, EdDSA",
    "Ed448, EdDSA",
  })
  void verifiesASignatureOf(String type, String algorithm) {
    boolean isRsa = type.equals("RSA");
    PublicJsonWebKey key = isRsa ? RSA : TestTokens.key(type, "k");
    PublicJsonWebKey other = isRsa ? OTHER_RSA : TestTokens.key(type, "k");
    String token = TestTokens.token(key, algorithm, claims(""));
    KeySet set = keys(key).inUse();
    Finding found = verifier.verify(token, set, NOW);
    assertNull(found.fault());
    assertEquals("ann", claim(found, "sub"));
    assertEquals(1_800_000_160, found.expiresSeconds());
    assertEquals(set.keys().get(0).number(), found.key());
    KeySet others = keys(other).inUse();
    assertEquals(
        RefusalReason.TOKEN_SIGNATURE_INVALID, verifier.verify(token, others, NOW).fault());
  }

  /** Also by a token that was changed after it was signed. */
  @Test
  void refusesAnotherPayload() {
    String[] parts = TestTokens.token(RSA, "RS256", claims("")).split("\\.");
    String other = TestTokens.part(claims("").replace("ann", "bob"));
    assertEquals(
        RefusalReason.TOKEN_SIGNATURE_INVALID, fault(parts[0] + "." + other + "." + parts[2]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "None", "NONE", "nOnE"})
  void refusesATokenThatNobodySigned(String none) {
    String head = TestTokens.part("{\"alg\":\"" + none + "\"}");
    String payload = TestTokens.part(claims(""));
    assertEquals(RefusalReason.TOKEN_MALFORMED, fault(head + "." + payload + "."));
    assertEquals(RefusalReason.TOKEN_ALGORITHM_REFUSED, fault(head + "." + payload + ".AAAA"));
  }

  /** Key confusion: everybody has the public key, which must not be a secret of HMAC. */
  @ParameterizedTest
  @ValueSource(strings = {"HS256", "HS384", "HS512"})
  void refusesAPublicKeyAsTheSecretOfHmac(String algorithm) {
    for (PublicJsonWebKey key : List.of(RSA, EC, ED)) {
      JsonWebSignature token = new JsonWebSignature();
      token.setAlgorithmHeaderValue(algorithm);
      token.setKeyIdHeaderValue(key.getKeyId());
      token.setKey(new HmacKey(key.getPublicKey().getEncoded()));
      token.setDoKeyValidation(false);
      token.setPayload(claims(""));
      assertEquals(RefusalReason.TOKEN_ALGORITHM_REFUSED, fault(TestTokens.serialized(token)));
    }
  }

  @Test
  void refusesAKeyOfAnotherTypeThanTheAlgorithmTakes() {
    String claims = claims("");
    PublicJsonWebKey p384 = TestTokens.key("P-384", "p384");
    for (String other : List.of("ec", "ed")) {
      String token = TestTokens.signed(RSA.getPrivateKey(), "RS256", other, claims);
      assertEquals(RefusalReason.TOKEN_KEY_UNKNOWN, fault(token));
    }
    String token = TestTokens.signed(EC.getPrivateKey(), "ES256", "p384", claims);
    assertEquals(
        RefusalReason.TOKEN_KEY_UNKNOWN, verifier.verify(token, keys(p384).inUse(), NOW).fault());
  }

  @Test
  void usesAKeyForItsOwnAlgorithmOnly() {
    PublicJsonWebKey key = RSA;
    key.setAlgorithm("PS256");
    KeySet set = keys(key).inUse();
    key.setAlgorithm(null);
    assertNull(verifier.verify(TestTokens.token(key, "PS256", claims("")), set, NOW).fault());
    assertEquals(
        RefusalReason.TOKEN_KEY_UNKNOWN,
        verifier.verify(TestTokens.token(key, "RS256", claims("")), set, NOW).fault());
  }

  @Test
  void looksAtNoKeyThatATokenBringsAlong() throws JoseException {
    PublicJsonWebKey own = OTHER_RSA;
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue("RS256");
    token.setKeyIdHeaderValue("rsa");
    token.setJwkHeader(own);
    token.setHeader("jku", "https://evil.example.com/keys");
    token.setKey(own.getPrivateKey());
    token.setPayload(claims(""));
    assertEquals(RefusalReason.TOKEN_SIGNATURE_INVALID, fault(token.getCompactSerialization()));
  }

  @Test
  void triesAllKeysOfOneNameAndAllOfNone() {
    PublicJsonWebKey first = TestTokens.key("P-256", "k");
    PublicJsonWebKey second = TestTokens.key("P-256", "k");
    KeySet set = keys(first, second).inUse();
    assertNull(verifier.verify(TestTokens.token(second, "ES256", claims("")), set, NOW).fault());
    String unnamed = TestTokens.signed(second.getPrivateKey(), "ES256", null, claims(""));
    assertNull(verifier.verify(unnamed, set, NOW).fault());
  }

  /** A token without a name of its key must not cost a signature for each key of a large set. */
  @Test
  void triesFewKeysOnly() {
    List<PublicJsonWebKey> all = new ArrayList<>();
    for (int i = 0; i <= JoseVerifier.MOST_TRIES; i++) {
      all.add(TestTokens.key("P-256", "k" + i));
    }
    KeySet set = keys(all.toArray(PublicJsonWebKey[]::new)).inUse();
    PublicJsonWebKey key = all.get(0);
    String unnamed = TestTokens.signed(key.getPrivateKey(), "ES256", null, claims(""));
    assertEquals(RefusalReason.TOKEN_KEY_UNKNOWN, verifier.verify(unnamed, set, NOW).fault());
    assertNull(verifier.verify(TestTokens.token(key, "ES256", claims("")), set, NOW).fault());
  }

  @ParameterizedTest
  @CsvSource({
    "1799999941,", // expired 59 s ago
    "1799999940, TOKEN_EXPIRED",
    "1799999939, TOKEN_EXPIRED",
    "-1, TOKEN_EXPIRED",
    "-9223372036854775808, TOKEN_EXPIRED",
    "0, TOKEN_EXPIRED",
    "9223372036854775807,",
    "1e300,",
    "\"1800000100\", TOKEN_MALFORMED",
    "null, TOKEN_MALFORMED",
    "[1800000100], TOKEN_MALFORMED",
  })
  void acceptsATokenUntilAMinuteAfterItExpires(String expires, RefusalReason fault) {
    String claims = claims("").replace("1800000100", expires);
    assertEquals(fault, fault(TestTokens.token(ED, "EdDSA", claims)));
  }

  @Test
  void refusesATokenThatNeverExpires() {
    String claims = claims("").replace("\"exp\":1800000100,", "");
    assertEquals(RefusalReason.TOKEN_MALFORMED, fault(TestTokens.token(ED, "EdDSA", claims)));
  }

  @ParameterizedTest
  @CsvSource({
    "1800000060,",
    "1800000061, TOKEN_NOT_YET_VALID",
    "1800000100, TOKEN_NOT_YET_VALID",
    "-1,"
  })
  void acceptsATokenFromAMinuteBeforeItsTimeOn(String notBefore, RefusalReason fault) {
    String token = TestTokens.token(ED, "EdDSA", claims(",\"nbf\":" + notBefore));
    assertEquals(fault, fault(token));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"iss\":\"https://id.example.com\" | \"iss\":\"https://id.example.com/\" | TOKEN_ISSUER_REFUSED",
        "\"iss\":\"https://id.example.com\" | \"isz\":1 | TOKEN_ISSUER_REFUSED",
        "\"iss\":\"https://id.example.com\" | \"iss\":[\"https://id.example.com\"] | TOKEN_MALFORMED",
        "[\"orders\",\"bills\"] | \"orders\" |",
        "[\"orders\",\"bills\"] | \"bills\" | TOKEN_AUDIENCE_REFUSED",
        "[\"orders\",\"bills\"] | [] | TOKEN_AUDIENCE_REFUSED",
        "\"aud\":[\"orders\",\"bills\"] | \"auz\":1 | TOKEN_AUDIENCE_REFUSED",
        "\"ann\" | \"ann\",\"sub\":\"bob\" | TOKEN_MALFORMED",
      })
  void acceptsTokensOfTheIssuerForTheAudience(String part, String by, RefusalReason fault) {
    assertEquals(fault, fault(TestTokens.token(ED, "EdDSA", claims("").replace(part, by))));
  }

  @Test
  void acceptsAnyIssuerAndAudienceWhereNoneIsSet() {
    JoseVerifier any = new JoseVerifier(TokenSettings.NONE);
    assertNull(any.verify(TestTokens.token(ED, "EdDSA", claims("")), keys.inUse(), NOW).fault());
    String bare = TestTokens.token(ED, "EdDSA", "{\"exp\":1800000100}");
    assertNull(any.verify(bare, keys.inUse(), NOW).fault());
  }

  @Test
  void refusesWhatExtendsTheGrammar() {
    for (String extension : List.of("crit", "b64", "cty", "zip", "enc")) {
      JsonWebSignature token = new JsonWebSignature();
      token.setAlgorithmHeaderValue("EdDSA");
      token.setKeyIdHeaderValue("ed");
      token.setKey(ED.getPrivateKey());
      token.setPayload(claims(""));
      token
          .getHeaders()
          .setObjectHeaderValue(extension, extension.equals("b64") ? (Object) true : "JWT");
      assertEquals(RefusalReason.TOKEN_MALFORMED, fault(TestTokens.serialized(token)), extension);
    }
  }

  @Test
  void refusesAnEncryptedToken() throws JoseException {
    JsonWebEncryption token = new JsonWebEncryption();
    token.setAlgorithmHeaderValue("RSA-OAEP");
    token.setEncryptionMethodHeaderParameter("A128CBC-HS256");
    token.setKey(RSA.getPublicKey());
    token.setKeyIdHeaderValue("rsa");
    token.setPlaintext(TestTokens.token(RSA, "RS256", claims("")));
    assertEquals(RefusalReason.TOKEN_MALFORMED, fault(token.getCompactSerialization()));
  }

  @Test
  void refusesATokenInAToken() {
    String inner = TestTokens.token(ED, "EdDSA", claims(""));
    assertEquals(RefusalReason.TOKEN_MALFORMED, fault(TestTokens.token(ED, "EdDSA", inner)));
  }

  @Test
  void refusesWhatIsNoToken() {
    String token = TestTokens.token(ED, "EdDSA", claims(""));
    String[] parts = token.split("\\.");
    for (String bad :
        List.of(
            "",
            ".",
            "..",
            "...",
            "a.b.c",
            "x",
            parts[0] + "." + parts[1],
            token + ".",
            "." + token,
            token + "=",
            token + "!",
            token.replaceFirst("\\.", ".\n"),
            token.replace('.', '-'),
            parts[0] + ".." + parts[2],
            parts[0] + ". ." + parts[2],
            TestTokens.part("[]") + "." + parts[1] + "." + parts[2],
            TestTokens.part("{}") + "." + parts[1] + "." + parts[2],
            TestTokens.part("{\"alg\":1}") + "." + parts[1] + "." + parts[2],
            TestTokens.part("{\"alg\":\"EdDSA\",\"alg\":\"EdDSA\"}") + "." + parts[1] + ".AAAA",
            TestTokens.part("{\"alg\":\"EdDSA\",\"kid\":1}") + "." + parts[1] + ".AAAA",
            TestTokens.part("[".repeat(5_000)) + "." + parts[1] + "." + parts[2],
            TestTokens.part("{\"a\":".repeat(1_000)) + "." + parts[1] + "." + parts[2],
            TestTokens.part("{\"alg\":\"EdDSA\"}")
                + "."
                + TestTokens.part("[".repeat(5_000))
                + "."
                + parts[2])) {
      assertEquals(RefusalReason.TOKEN_MALFORMED, fault(bad), bad);
    }
  }

  /** A payload that is no claims is known as such only once its signature is right. */
  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "1", "\"a\"", "{", "{\"exp\":}", "null"})
  void refusesASignedPayloadThatIsNoClaims(String payload) {
    assertEquals(RefusalReason.TOKEN_MALFORMED, fault(TestTokens.token(ED, "EdDSA", payload)));
  }

  @Test
  void keepsOfClaimsWhatCanNameSomebody() {
    Finding found =
        verify(
            TestTokens.token(
                ED,
                "EdDSA",
                claims(
                    ",\"n\":7,\"neg\":-7,\"big\":123456789012345678901234567890,\"half\":0.5,"
                        + "\"yes\":true,\"nil\":null,\"empty\":\"\",\"obj\":{\"a\":1},\"one\":[\"a\"],"
                        + "\"https://example.com/plan\":\"gold\",\"uml\":\"\\u00e4\u00e4\"")));
    assertNull(found.fault());
    assertEquals("7", claim(found, "n"));
    assertEquals("-7", claim(found, "neg"));
    assertEquals("-2", claim(found, "big"));
    assertEquals("-2", claim(found, "half"));
    assertEquals("true", claim(found, "yes"));
    assertEquals("-1", claim(found, "nil"));
    assertEquals("-1", claim(found, "no"));
    assertEquals("", claim(found, "empty"));
    assertEquals("-2", claim(found, "obj"));
    assertEquals("-2", claim(found, "one"));
    assertEquals("-2", claim(found, "aud"));
    assertEquals("gold", claim(found, "https://example.com/plan"));
    assertEquals("\u00e4\u00e4", claim(found, "uml"));
    assertEquals("-1", claim(found, "su"));
    assertEquals("-1", claim(found, "subj"));
  }

  @Test
  void keepsTheNumberOfAKeyThatStays() {
    PublicJsonWebKey other = TestTokens.key("P-256", "other");
    int number = keys.inUse().of("rsa", "RS256").get(0).number();
    use(keys, other, RSA);
    assertEquals(number, keys.inUse().of("rsa", "RS256").get(0).number());
    use(keys, other);
    use(keys, RSA);
    PublicKey again = keys.inUse().keys().get(0).key();
    assertEquals(RSA.getPublicKey(), again);
    assertEquals(false, keys.inUse().contains(number));
  }
}
