package dev.weir.bench.fuzz;

import io.netty.buffer.ByteBuf;

/** What our decoder of fields refuses, and Netty's reads. */
final class StricterFields {
  private StricterFields() {}

  /**
   * Whether a block may hold a number of more than four bytes behind its first: nothing that long
   * is of use, even where zeros make it so (RFC 7541, section 5.1, allows a limit).
   */
  static boolean refuses(ByteBuf block) {
    int run = 0;
    for (int i = block.readerIndex(); i < block.writerIndex(); i++) {
      run = block.getByte(i) < 0 ? run + 1 : 0;
      if (run >= 4) {
        return true;
      }
    }
    return false;
  }
}
