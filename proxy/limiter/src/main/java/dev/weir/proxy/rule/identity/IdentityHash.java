package dev.weir.proxy.rule.identity;

import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * HMAC-SHA256 (RFC 2104) of secrets for names in the store, cut to 128 bits. Implemented here
 * because the JDK's own allocates its result. One per event loop; allocates nothing after
 * construction.
 */
final class IdentityHash {
  /** Bytes that {@link #write} writes: {@code #} and the digits. */
  static final int TEXT_BYTES = 1 + 32;

  private static final int BLOCK_BYTES = 64;
  private static final int HASH_BYTES = 32;
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final MessageDigest sha256;
  private final byte[] innerPad;
  private final byte[] outerPad;
  private final byte[] digest = new byte[HASH_BYTES];

  IdentityHash(String key) {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException none) {
      throw new AssertionError("every JDK has SHA-256", none);
    }
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    innerPad = pad(bytes, 0x36);
    outerPad = pad(bytes, 0x5C);
  }

  private byte[] pad(byte[] key, int with) {
    byte[] pad = Arrays.copyOf(key.length > BLOCK_BYTES ? sha256.digest(key) : key, BLOCK_BYTES);
    for (int i = 0; i < BLOCK_BYTES; i++) {
      pad[i] ^= (byte) with;
    }
    return pad;
  }

  /**
   * Writes the hash of some bytes.
   *
   * @param bytes on the heap.
   * @return where it ends.
   */
  int write(DirectBuffer bytes, int offset, int length, MutableDirectBuffer target, int at) {
    sha256.update(innerPad);
    sha256.update(bytes.byteArray(), bytes.wrapAdjustment() + offset, length);
    finish();
    sha256.update(outerPad);
    sha256.update(digest);
    finish();
    int out = at;
    target.putByte(out++, (byte) '#');
    for (int i = 0; i < (TEXT_BYTES - 1) / 2; i++) {
      target.putByte(out++, DIGITS[digest[i] >>> 4 & 0xF]);
      target.putByte(out++, DIGITS[digest[i] & 0xF]);
    }
    return out;
  }

  private void finish() {
    try {
      sha256.digest(digest, 0, HASH_BYTES);
    } catch (DigestException e) {
      throw new AssertionError("it is as long as SHA-256 says", e);
    }
  }
}
