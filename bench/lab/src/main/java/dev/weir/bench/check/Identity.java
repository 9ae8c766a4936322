package dev.weir.bench.check;

import dev.weir.algorithms.SipHash;
import org.agrona.concurrent.UnsafeBuffer;

/** Sixteen bytes that name who asks, such as an address of IPv6, and their hash. One thread's. */
final class Identity {
  private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[16]);
  private final SipHash hash;

  Identity(SipHash hash) {
    this.hash = hash;
  }

  long hash(long id) {
    bytes.putLong(0, id);
    return hash.hash(bytes, 0, bytes.capacity());
  }
}
