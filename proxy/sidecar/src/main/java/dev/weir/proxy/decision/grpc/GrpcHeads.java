package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.grpc.GrpcMessage;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.GrpcStatus;

/** Encoded heads and trailers of answers to calls: the same bytes on any connection. */
final class GrpcHeads {
  /** The head before messages. */
  static final byte[] ANSWER = head().bytes();

  /** The trailers after messages. */
  static final byte[] OK = new HpackEncoder().add("grpc-status", "0").bytes();

  private GrpcHeads() {}

  private static HpackEncoder head() {
    return new HpackEncoder().add(":status", "200").add("content-type", "application/grpc");
  }

  /** A response that has only a status. */
  static byte[] status(GrpcStatus status, String message) {
    HpackEncoder head = head();
    if (status == GrpcStatus.UNIMPLEMENTED) {
      head.add("grpc-accept-encoding", "identity");
    }
    return add(head, status, message).bytes();
  }

  /** Trailers with a status, after messages. */
  static byte[] trailers(GrpcStatus status, String message) {
    return add(new HpackEncoder(), status, message).bytes();
  }

  private static HpackEncoder add(HpackEncoder block, GrpcStatus status, String message) {
    block.add("grpc-status", Integer.toString(status.code()));
    return message.isEmpty()
        ? block
        : block.add("grpc-message", GrpcMessage.percentEncoded(message));
  }

  /** Writes the prefix of an uncompressed message. */
  static void writePrefix(byte[] to, int messageBytes) {
    to[0] = 0;
    to[1] = (byte) (messageBytes >>> 24);
    to[2] = (byte) (messageBytes >>> 16);
    to[3] = (byte) (messageBytes >>> 8);
    to[4] = (byte) messageBytes;
  }
}
