package dev.weir.proxy.api;

import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Role;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Identities as viewers see them: a hash under a key, so that what is shown twice is known as one
 * and the same, and a guess cannot be tried. Any thread.
 */
public final class Identities {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int SHOWN_BYTES = 8;

  private final SecretKeySpec key;

  Identities() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    key = new SecretKeySpec(bytes, ALGORITHM);
  }

  /**
   * What a caller sees of an identity: an editor the whole, others a hash.
   *
   * @param caller null for one that is not known.
   */
  public UnaryOperator<String> shownTo(Caller caller) {
    return seesAll(caller) ? UnaryOperator.identity() : this::hidden;
  }

  /** Whether a caller sees who somebody is, and not a hash of it. */
  static boolean seesAll(Caller caller) {
    return caller != null && caller.role().may(Role.EDITOR);
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
