package dev.weir.proxy.rule.identity;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.rule.Budget;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.agrona.DirectBuffer;

/**
 * Hashes identities under a secret key of this process, so that nobody outside can choose two
 * identities that share a budget. Immutable; one for all event loops.
 *
 * <p>A budget's key is the identity's hash XOR {@link Budget#seed()}: as good as a hash with both
 * as its key, since the first is secret and random. A changed limit finds what an identity used
 * before without hashing it again.
 */
public final class KeyHasher {
  private static final Path SOURCE = Path.of("/dev/urandom");

  private final SipHash hash;

  private KeyHasher(SipHash hash) {
    this.hash = hash;
  }

  /** A hasher with a key from the system's secure random source. */
  public static KeyHasher random() {
    ByteBuffer key = ByteBuffer.wrap(randomBytes(2 * Long.BYTES));
    return withKey(key.getLong(), key.getLong());
  }

  /**
   * Random bytes, read from the system directly if possible, so that a start need not load Java's
   * security providers.
   */
  private static byte[] randomBytes(int count) {
    try (InputStream source = Files.newInputStream(SOURCE)) {
      byte[] bytes = source.readNBytes(count);
      if (bytes.length == count) {
        return bytes;
      }
    } catch (IOException e) {
      // no such device: the system has another way
    }
    byte[] bytes = new byte[count];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /** A hasher with a given key, for tests that must be repeatable. */
  public static KeyHasher withKey(long key0, long key1) {
    return new KeyHasher(new SipHash(key0, key1));
  }

  /** The hash of an identity's bytes. */
  public long hash(DirectBuffer identity, int offset, int length) {
    return hash.hash(identity, offset, length);
  }
}
