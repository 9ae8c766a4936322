package dev.weir.proxy.token;

import dev.weir.proxy.token.KeySet.VerificationKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;

/**
 * Reads a key set in JSON (RFC 7517). Keys that verify no token are left out: symmetric ones, those
 * for encryption, of a type or curve that is not accepted, and RSA below 2048 bits.
 */
final class KeySetReader {
  static final int MOST_KEYS = 100;

  private static final String EXPECTED = "a JSON Web Key Set: {\"keys\": [...]}";

  private KeySetReader() {}

  /**
   * The keys in a content.
   *
   * @throws IOException if it is no key set, or has no key that is accepted; the message has
   *     nothing of the content.
   */
  static List<VerificationKey> read(byte[] content) throws IOException {
    List<JsonWebKey> all;
    try {
      all = new JsonWebKeySet(new String(content, StandardCharsets.UTF_8)).getJsonWebKeys();
    } catch (JoseException | RuntimeException notOne) {
      throw new IOException("no key set (expected: " + EXPECTED + ")");
    }
    if (all.size() > MOST_KEYS) {
      throw new IOException(all.size() + " keys (expected: at most " + MOST_KEYS + ")");
    }
    List<VerificationKey> keys = new ArrayList<>();
    for (JsonWebKey key : all) {
      if (verifies(key)) {
        PublicKey publicKey = ((PublicJsonWebKey) key).getPublicKey();
        keys.add(new VerificationKey(0, key.getKeyId(), key.getAlgorithm(), publicKey));
      }
    }
    if (keys.isEmpty()) {
      throw new IOException(
          "no key that verifies tokens (expected: RSA of 2048 bits or more, P-256, P-384, P-521,"
              + " Ed25519 or Ed448)");
    }
    return keys;
  }

  private static boolean verifies(JsonWebKey key) {
    return key instanceof PublicJsonWebKey
        && (key.getUse() == null || key.getUse().equals("sig"))
        && (key.getKeyOps() == null || key.getKeyOps().contains("verify"))
        && (key.getAlgorithm() == null || Algorithms.isAccepted(key.getAlgorithm()))
        && Algorithms.isUsable(((PublicJsonWebKey) key).getPublicKey());
  }
}
