package dev.weir.proxy.traffic;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** A client of HTTP/2 that sends a plain request and a call of gRPC at a time. */
final class Http2Client extends Http2Peer {
  private static final int FRAME_BYTES = 512;

  /** A message of gRPC: no compression, no bytes. */
  private static final byte[] MESSAGE = new byte[5];

  private final byte[] request = head("GET", "/warm-up").bytes();
  private final byte[] call =
      head("POST", "/weir.WarmUp/Call")
          .add("content-type", "application/grpc")
          .add("te", "trailers")
          .add("grpc-timeout", "10S")
          .bytes();
  private final UserId ofRequest = new UserId(request);
  private final UserId ofCall = new UserId(call);
  private final int firstUser;
  private int sentCount;

  /**
   * @param firstUser whose requests come first; those behind it are this client's too.
   */
  Http2Client(SocketChannel channel, int firstUser) throws IOException {
    super(channel, FRAME_BYTES);
    this.firstUser = firstUser;
    beginAsClient();
  }

  private static HpackEncoder head(String method, String path) {
    return new HpackEncoder()
        .add(":method", method)
        .add(":scheme", "http")
        .add(":path", path)
        .add(":authority", "warm-up.invalid")
        .add("user-agent", "weir-warm-up")
        .add("x-user-id", UserId.PLACE);
  }

  @Override
  void send() throws IOException {
    // A user of its own for each of the two.
    int user = firstUser + sentCount / Traffic.REQUESTS_OF_USER * 2;
    ofRequest.write(user);
    ofCall.write(user + 1);
    int streamId = 4 * sentCount++ + 1;
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS | FrameFlag.END_STREAM, streamId, request);
    frame(FrameType.HEADERS, FrameFlag.END_HEADERS, streamId + 2, call);
    frame(FrameType.DATA, FrameFlag.END_STREAM, streamId + 2, MESSAGE);
    asked(2);
    flush();
  }

  @Override
  void ended(int streamId, int type) {
    answered();
  }
}
