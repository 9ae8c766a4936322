package dev.weir.proxy.token;

import dev.weir.proxy.request.RefusalReason;

/** Verifies tokens. Any thread. */
interface TokenVerifier {
  /**
   * What was found out about a token.
   *
   * @param fault what is wrong with it; null if it is good.
   * @param key by which it was verified, as its key set numbers it; undefined if it is bad.
   * @param expiresSeconds when a good token's time is over, skew included, since 1970.
   * @param claims of a good token, as {@link Claims} has them.
   */
  record Finding(RefusalReason fault, int key, long expiresSeconds, byte[] claims) {
    static Finding bad(RefusalReason fault) {
      return new Finding(fault, 0, 0, new byte[0]);
    }
  }

  /**
   * Verifies a token by a set of keys.
   *
   * @param nowSeconds since 1970.
   */
  Finding verify(String token, KeySet keys, long nowSeconds);
}
