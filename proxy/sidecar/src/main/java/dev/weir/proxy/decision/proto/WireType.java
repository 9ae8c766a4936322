package dev.weir.proxy.decision.proto;

/** How a field's value is coded: the low three bits of its tag. */
final class WireType {
  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int BYTES = 2;
  static final int GROUP_BEGIN = 3;
  static final int GROUP_END = 4;
  static final int FIXED32 = 5;

  /** How many bits of a tag it takes. */
  static final int BITS = 3;

  private WireType() {}
}
