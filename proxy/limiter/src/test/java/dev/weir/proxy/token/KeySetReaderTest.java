package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySetReaderTest {
  private static final PublicJsonWebKey EC = TestTokens.key("P-256", "ec");

  private static int count(String content) throws IOException {
    return KeySetReader.read(content.getBytes(StandardCharsets.UTF_8)).size();
  }

  private static String fault(String content) {
    return assertThrows(IOException.class, () -> count(content)).getMessage();
  }

  private static String withEc(String other) {
    return TestTokens.keySet(EC).replace("\"keys\":[", "\"keys\":[" + other + ",");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "[]",
        "{}",
        "null",
        "{\"keys\":1}",
        "{\"keys\":{}}",
        "{\"keys\":[1]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"QUFB\"}",
        "{\"keys\":[], \"keys\":[]}"
      })
  void tellsWhatIsNoKeySet(String content) {
    String fault = fault(content);
    assertEquals("no key set (expected: a JSON Web Key Set: {\"keys\": [...]})", fault);
  }

  @Test
  void leavesOutKeysThatVerifyNoToken() throws IOException {
    for (String other :
        new String[] {
          "{\"kty\":\"oct\",\"k\":\"QUFB\"}",
          "{\"kty\":\"new\",\"kid\":\"a\"}",
          "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
          "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}"
        }) {
      assertEquals(1, count(withEc(other)), other);
      String alone = "{\"keys\":[" + other + "]}";
      assertEquals(
          "no key that verifies tokens (expected: RSA of 2048 bits or more, P-256, P-384, P-521,"
              + " Ed25519 or Ed448)",
          fault(alone));
      assertFalse(fault(alone).contains("QUFB"));
    }
    for (String not :
        new String[] {
          "\"use\":\"enc\"", "\"key_ops\":[\"sign\"]", "\"alg\":\"ECDH-ES\"", "\"alg\":\"HS256\""
        }) {
      String set = TestTokens.keySet(EC).replace("\"kid\"", not + ",\"kid\"");
      assertEquals("no key that", fault(set).substring(0, 11), not);
    }
    for (String yes :
        new String[] {"\"use\":\"sig\"", "\"key_ops\":[\"verify\"]", "\"alg\":\"ES256\""}) {
      assertEquals(1, count(TestTokens.keySet(EC).replace("\"kid\"", yes + ",\"kid\"")), yes);
    }
  }

  @Test
  void boundsTheKeysOfASet() throws IOException {
    PublicJsonWebKey[] keys =
        Collections.nCopies(KeySetReader.MOST_KEYS, EC).toArray(PublicJsonWebKey[]::new);
    assertEquals(KeySetReader.MOST_KEYS, count(TestTokens.keySet(keys)));
    keys = Collections.nCopies(KeySetReader.MOST_KEYS + 1, EC).toArray(PublicJsonWebKey[]::new);
    assertEquals("101 keys (expected: at most 100)", fault(TestTokens.keySet(keys)));
  }
}
