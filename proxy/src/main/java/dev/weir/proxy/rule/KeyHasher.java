package dev.weir.proxy.rule;

import dev.weir.algorithms.SipHash;
import java.security.SecureRandom;
import org.agrona.DirectBuffer;

/**
 * Hashes identities under a key of this process, so that nobody outside can choose two identities
 * that share a budget. Immutable; one for all event loops.
 *
 * <p>A budget's key is the identity's hash XOR the {@link Budget#seed()}: as good as a hash keyed
 * by both, since the first is secret and random, and a limit that changes finds what an identity
 * consumed before without hashing it again.
 */
public final class KeyHasher {
  private final SipHash hash;

  private KeyHasher(SipHash hash) {
    this.hash = hash;
  }

  /** One with a key from the system's secure random source. */
  public static KeyHasher random() {
    SecureRandom random = new SecureRandom();
    return withKey(random.nextLong(), random.nextLong());
  }

  /** One with a given key, for tests that must repeat. */
  public static KeyHasher withKey(long key0, long key1) {
    return new KeyHasher(new SipHash(key0, key1));
  }

  /** The hash of an identity's bytes. */
  public long hash(DirectBuffer identity, int offset, int length) {
    return hash.hash(identity, offset, length);
  }
}
