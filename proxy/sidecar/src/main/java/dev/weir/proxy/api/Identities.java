package dev.weir.proxy.api;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Identities as viewers see them: a hash under a key, so that what is shown twice is known as one
 * and the same, and a guess cannot be tried. Any thread.
 */
final class Identities {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SHOWN_BYTES = 8;

  private final SecretKeySpec key;

  Identities() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    key = new SecretKeySpec(bytes, ALGORITHM);
  }

  /** The hash of an identity, such as {@code hidden:7c9a0d2c5b1e4f38}. */
  String hidden(String identity) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      byte[] hash = mac.doFinal(identity.getBytes(StandardCharsets.UTF_8));
      return "hidden:" + HexFormat.of().formatHex(hash, 0, SHOWN_BYTES);
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("each Java has " + ALGORITHM, missing);
    }
  }
}
