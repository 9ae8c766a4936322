package dev.weir.proxy.decision.proto;

/** The wire type of a field: the low three bits of its tag. */
final class WireType {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES = 2;
  static final int GROUP_BEGIN = 3;
  static final int GROUP_END = 4;
  static final int FIXED32 = 5;

  /** The number of bits in a tag. */
  static final int BITS = 3;

  private WireType() {}
}
