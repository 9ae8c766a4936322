package dev.weir.proxy.token;

import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Set;

/**
 * The algorithms of signatures that are accepted (RFC 7518, section 3.1, and RFC 8037): those by
 * which who verifies cannot sign. {@code none} and HMAC are not among them.
 */
final class Algorithms {
  private static final Set<String> OF_RSA =
      Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512");

  /** The shortest key of RSA that is accepted, in bits (RFC 7518, section 3.3). */
  private static final int LEAST_RSA_BITS = 2048;

  private Algorithms() {}

  /** Whether tokens signed by an algorithm are accepted. */
  static boolean isAccepted(String algorithm) {
    return switch (algorithm) {
      case "RS256", "RS384", "RS512", "PS256", "PS384", "PS512" -> true;
      case "ES256", "ES384", "ES512", "EdDSA" -> true;
      default -> false;
    };
  }

  /** Whether a key can verify what any accepted algorithm has signed. */
  static boolean isUsable(PublicKey key) {
    return fits(key, "RS256")
        || fits(key, "ES256")
        || fits(key, "ES384")
        || fits(key, "ES512")
        || fits(key, "EdDSA");
  }

  /**
   * Whether a key is of the type that an algorithm takes. A key must never be used for what it is
   * not, as with a public key of RSA for the secret of HMAC.
   */
  static boolean fits(PublicKey key, String algorithm) {
    if (key instanceof RSAPublicKey rsa) {
      return OF_RSA.contains(algorithm) && rsa.getModulus().bitLength() >= LEAST_RSA_BITS;
    }
    if (key instanceof ECPublicKey ec) {
      return switch (ec.getParams().getOrder().bitLength()) {
        case 256 -> algorithm.equals("ES256");
        case 384 -> algorithm.equals("ES384");
        case 521 -> algorithm.equals("ES512");
        default -> false;
      };
    }
    return key instanceof EdECPublicKey && algorithm.equals("EdDSA");
  }
}
