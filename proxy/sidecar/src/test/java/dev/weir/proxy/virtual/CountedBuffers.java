package dev.weir.proxy.virtual;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

/** The memory of all channels in virtual time, which must come back to the byte. */
final class CountedBuffers {
  static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true, true);

  private CountedBuffers() {}

  /**
   * Bytes in direct buffers that were not released, and those of the process's own allocator, if
   * that counts to the byte ({@code -Dio.netty.allocator.type=unpooled}).
   */
  static long usedBytes() {
    long used = ALLOCATOR.metric().usedDirectMemory();
    return ByteBufAllocator.DEFAULT instanceof UnpooledByteBufAllocator unpooled
        ? used + unpooled.metric().usedDirectMemory()
        : used;
  }
}
