package dev.weir.proxy.traffic;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameReader;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A client of gRPC that makes calls with an empty message, and keeps the fields of the answers as
 * text. A sidecar sends each head in one frame, unpadded.
 */
public final class TextCall extends Http2Peer {
  private static final int FRAME_BYTES = 1024;
  private static final byte[] EMPTY_MESSAGE = new byte[5];
  private static final int MAX_FIELDS = 100;
  private static final int MAX_BYTES = 32 * 1024;

  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock fields = new FieldBlock(MAX_BYTES, MAX_FIELDS, MAX_BYTES);
  private final StringBuilder answer = new StringBuilder();
  private int streamId = -1;

  TextCall(SocketChannel channel) throws IOException {
    super(channel, FRAME_BYTES);
    beginAsClient();
  }

  /**
   * Calls a method; {@link Traffic#exchange} brings the answer.
   *
   * @param path such as {@code /package.Service/Method}.
   */
  public void ask(String path, String user) throws IOException {
    byte[] head =
        new HpackEncoder()
            .add(":method", "POST")
            .add(":scheme", "http")
            .add(":path", path)
            .add(":authority", "localhost")
            .add("content-type", "application/grpc")
            .add("te", "trailers")
            .add("x-user-id", user)
            .bytes();
    answer.setLength(0);
    asked(1);
    streamId += 2;
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS, streamId, head);
    frame(FrameType.DATA, FrameFlag.END_STREAM, streamId, EMPTY_MESSAGE);
    flush();
  }

  /** The fields of the last answer, a line each: those of its head, and of its trailers. */
  public String answer() {
    return answer.toString();
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    int start = received.position();
    if (!super.take(received)) {
      return false;
    }
    if (received.get(start + 3) == FrameType.HEADERS) {
      int payload = start + FrameReader.HEADER_BYTES;
      add(received.slice(payload, received.position() - payload));
    }
    return true;
  }

  private void add(ByteBuffer block) throws IOException {
    ByteBuf bytes = Unpooled.directBuffer(block.remaining()).writeBytes(block);
    try {
      if (decoder.decode(bytes, 0, bytes.readableBytes(), fields) != FieldDecoder.Outcome.DECODED) {
        throw new IOException("fields that cannot be decoded");
      }
    } finally {
      bytes.release();
    }
    for (int i = 0; i < fields.count(); i++) {
      answer.append(fields.text(fields.nameOffset(i), fields.nameLength(i)));
      answer.append(": ").append(fields.text(fields.valueOffset(i), fields.valueLength(i)));
      answer.append('\n');
    }
  }

  @Override
  void ended(int ofStream, int type) {
    answered();
  }
}
