package dev.weir.proxy.token;

import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that verify tokens at a time. Immutable.
 *
 * @param version another number for each set that is taken into use; 0 for that of a start.
 */
record KeySet(int version, List<VerificationKey> keys) {
  /** No keys are known yet. */
  static final KeySet UNKNOWN = new KeySet(0, List.of());

  /**
   * One key of the set.
   *
   * @param number which no other key ever has in this process.
   * @param id by which tokens name it; null if they cannot.
   * @param algorithm the only one that it is for; null if its type alone decides.
   */
  record VerificationKey(int number, String id, String algorithm, PublicKey key) {
    boolean isSame(VerificationKey other) {
      return withNumber(0).equals(other.withNumber(0));
    }

    VerificationKey withNumber(int other) {
      return new VerificationKey(other, id, algorithm, key);
    }
  }

  /** Whether a key is in this set. */
  boolean contains(int number) {
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i).number() == number) {
        return true;
      }
    }
    return false;
  }

  /**
   * The keys that may have signed a token.
   *
   * @param id that the token names; null if it names none.
   */
  List<VerificationKey> of(String id, String algorithm) {
    List<VerificationKey> found = new ArrayList<>();
    for (VerificationKey key : keys) {
      if ((id == null || id.equals(key.id()))
          && (key.algorithm() == null || key.algorithm().equals(algorithm))
          && Algorithms.fits(key.key(), algorithm)) {
        found.add(key);
      }
    }
    return found;
  }
}
