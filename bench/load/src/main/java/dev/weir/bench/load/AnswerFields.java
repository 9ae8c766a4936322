package dev.weir.bench.load;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import io.netty.buffer.ByteBuf;

/**
 * The fields of answers on one connection, of which the statuses are looked at. What was decided
 * about a block holds until the next one is decoded.
 */
final class AnswerFields {
  /** The most bytes of an answer's fields, as they are sent and as they are decoded. */
  static final int MAX_LIST_BYTES = 1 << 16;

  private static final int MAX_FIELDS = 1_000;
  private static final int ABSENT = -1;

  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock block;

  /**
   * @param block which the connections of an event loop share.
   */
  AnswerFields(FieldBlock block) {
    this.block = block;
  }

  static FieldBlock newBlock() {
    return new FieldBlock(MAX_LIST_BYTES, MAX_FIELDS, MAX_LIST_BYTES);
  }

  /**
   * Decodes a field block in place of the one before.
   *
   * @return {@link ErrorCode#NO_ERROR}, or what the connection has to end with.
   */
  int decode(ByteBuf from, int offset, int bytes) {
    return switch (decoder.decode(from, offset, bytes, block)) {
      case DECODED -> ErrorCode.NO_ERROR;
      case MALFORMED -> ErrorCode.COMPRESSION_ERROR;
      case EXCESSIVE -> ErrorCode.ENHANCE_YOUR_CALM;
    };
  }

  /** The code that the last block's stream has to end with, or {@link ErrorCode#NO_ERROR}. */
  int fault() {
    return block.malformed() || block.tooLarge() ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
  }

  /** Whether there is a status of HTTP, whatever it says. */
  boolean hasStatus() {
    return block.hasPseudo(FieldKind.STATUS);
  }

  /** The status of HTTP, from 0 to 999; 0 if there is none of three digits. */
  int status() {
    final int field = block.find(FieldKind.STATUS, 0);
    return field < 0 || block.valueLength(field) != 3 ? 0 : Math.max(0, number(field));
  }

  /** The status of gRPC; {@link GrpcStatus#UNKNOWN} if there is none that gRPC knows. */
  int grpcStatus() {
    final int field = block.find(FieldKind.GRPC_STATUS, 0);
    final int status = field < 0 || block.valueLength(field) > 2 ? ABSENT : number(field);
    return status < 0 || status > GrpcStatus.HIGHEST ? GrpcStatus.UNKNOWN : status;
  }

  /** The number that a field's digits make; {@link #ABSENT} if it has others, or none. */
  private int number(int field) {
    int number = block.valueLength(field) == 0 ? ABSENT : 0;
    for (int i = 0; i < block.valueLength(field); i++) {
      final int digit = block.bytes().getByte(block.valueOffset(field) + i) - '0';
      if (digit < 0 || digit > 9) {
        return ABSENT;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  static final class GrpcStatus {
    /** The status of a call that ended without one, or with one that nobody knows. */
    static final int UNKNOWN = 2;

    static final int HIGHEST = 16;

    private GrpcStatus() {}
  }
}
