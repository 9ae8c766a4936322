package dev.weir.proxy.token;

import dev.weir.proxy.token.KeySet.VerificationKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The key set in use. One thread at a time replaces it; event loops read it. A key that stays keeps
 * its number, so that the tokens which it verified stay good; those of a key that is gone are
 * forgotten.
 */
public final class TokenKeys {
  private volatile KeySet inUse = KeySet.UNKNOWN;
  private volatile boolean isKeyWanted;
  private int lastNumber;
  private final LongAdder verifiedCount = new LongAdder();

  KeySet inUse() {
    return inUse;
  }

  /** How many keys are in use. */
  public int count() {
    return inUse.keys().size();
  }

  /**
   * Replaces all keys, whatever their numbers.
   *
   * @return false if they are those in use, and nothing has changed.
   */
  synchronized boolean replace(List<VerificationKey> keys) {
    KeySet before = inUse;
    List<VerificationKey> numbered = new ArrayList<>();
    for (VerificationKey key : keys) {
      numbered.add(
          before.keys().stream()
              .filter(key::isSame)
              .findFirst()
              .orElseGet(() -> key.withNumber(++lastNumber)));
    }
    if (before != KeySet.UNKNOWN && numbered.equals(before.keys())) {
      return false;
    }
    inUse = new KeySet(before.version() + 1, List.copyOf(numbered));
    return true;
  }

  /** Says that a token names a key that is not in the set. Any thread. */
  void keyWanted() {
    if (!isKeyWanted) {
      isKeyWanted = true;
    }
  }

  /** Whether a token has named a key that is not in the set. */
  boolean isKeyWanted() {
    return isKeyWanted;
  }

  /** The set is being read again: whether a key is wanted is known anew from now on. */
  void takeKeyWanted() {
    isKeyWanted = false;
  }

  /** Counts a token that was verified, good or bad. Any thread. */
  void verified() {
    verifiedCount.increment();
  }

  /** How many tokens were verified, good or bad, and not only remembered. */
  public long verifiedCount() {
    return verifiedCount.sum();
  }
}
