package dev.weir.proxy.traffic;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A service of HTTP/2 that answers requests, and calls of gRPC with trailers. What comes without a
 * body is no call.
 */
final class Http2Service extends Http2Peer {
  private static final int FRAME_BYTES = 512;
  private static final byte[] HEAD =
      new HpackEncoder()
          .add(":status", "200")
          .add("content-type", "text/plain")
          .add("content-length", "12")
          .bytes();
  private static final byte[] BODY = "the service\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CALL_HEAD =
      new HpackEncoder().add(":status", "200").add("content-type", "application/grpc").bytes();
  private static final byte[] MESSAGE = new byte[5];
  private static final byte[] TRAILERS = new HpackEncoder().add("grpc-status", "0").bytes();

  private boolean isPrefaced;

  private final Runnable counting;

  /**
   * @param counting is run for each request.
   */
  Http2Service(SocketChannel channel, Runnable counting) {
    super(channel, FRAME_BYTES);
    this.counting = counting;
    settings();
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    if (isPrefaced) {
      return super.take(received);
    }
    if (received.remaining() < PREFACE.length) {
      return false;
    }
    received.position(received.position() + PREFACE.length);
    isPrefaced = true;
    flush();
    return true;
  }

  @Override
  void ended(int streamId, int type) throws IOException {
    counting.run();
    boolean isCall = type == FrameType.DATA;
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS, streamId, isCall ? CALL_HEAD : HEAD);
    if (isCall) {
      frame(FrameType.DATA, 0, streamId, MESSAGE);
      frame(FrameType.HEADERS, FrameFlag.END_HEADERS | FrameFlag.END_STREAM, streamId, TRAILERS);
    } else {
      frame(FrameType.DATA, FrameFlag.END_STREAM, streamId, BODY);
    }
    flush();
  }
}
