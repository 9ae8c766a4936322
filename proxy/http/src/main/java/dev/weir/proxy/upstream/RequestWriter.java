package dev.weir.proxy.upstream;

import dev.weir.proxy.http1.ChunkWriter;
import dev.weir.proxy.http1.TrailerWriter;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Writes the requests of one HTTP/1.1 connection. A body in HTTP/1.1's own framing is written
 * unchanged; a body from another protocol is chunked, if its head has no length.
 */
final class RequestWriter {
  private final Channel channel;
  private boolean chunks;

  RequestWriter(Channel channel) {
    this.channel = channel;
  }

  /**
   * Takes over a head and writes it.
   *
   * @param chunksBody whether the body that follows is to be chunked.
   */
  void head(ByteBuf bytes, boolean chunksBody) {
    chunks = chunksBody;
    ChannelIo.write(channel, bytes);
  }

  /**
   * Takes over {@code bytes} of a body.
   *
   * @param end whether they are the last.
   */
  void body(ByteBuf bytes, boolean end) {
    if (chunks) {
      writeChunk(bytes, end);
    } else {
      write(bytes);
    }
  }

  /** Ends a chunked body with trailers; a body of known length has no place for them. */
  void trailers(RequestView fields) {
    if (chunks) {
      ByteBuf end = channel.alloc().directBuffer(TrailerWriter.maxBytes(fields));
      TrailerWriter.write(fields, end);
      ChannelIo.write(channel, end);
    }
  }

  /** Takes over {@code bytes} and writes them, unless they are empty. */
  void write(ByteBuf bytes) {
    if (bytes.isReadable()) {
      ChannelIo.write(channel, bytes);
    } else {
      bytes.release();
    }
  }

  private void writeChunk(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    if (length > 0) {
      ByteBuf size = channel.alloc().directBuffer(ChunkWriter.MAX_BYTES);
      ChunkWriter.writeSize(size, length);
      ChannelIo.write(channel, size);
    }
    write(bytes);
    ByteBuf behind = channel.alloc().directBuffer(ChunkWriter.MAX_BYTES);
    if (length > 0) {
      ChunkWriter.writeEnd(behind);
    }
    if (end) {
      ChunkWriter.writeLast(behind);
    }
    write(behind);
  }
}
