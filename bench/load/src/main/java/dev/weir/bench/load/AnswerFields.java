package dev.weir.bench.load;

import dev.weir.proxy.http2.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;

/**
 * What a client looks at among the fields of an answer. All are checked; no others are kept, and
 * one object serves all answers of a connection: Netty's own takes 300 bytes and more for each.
 */
final class AnswerFields extends DefaultHttp2Headers {
  private static final AsciiString STATUS = Http2Headers.PseudoHeaderName.STATUS.value();
  private static final AsciiString GRPC_STATUS = AsciiString.cached("grpc-status");

  private CharSequence status;
  private CharSequence grpcStatus;

  private final DefaultHttp2HeadersDecoder decoder;
  private int fault;

  AnswerFields(int maxHeaderListBytes) {
    decoder =
        new DefaultHttp2HeadersDecoder(true, maxHeaderListBytes) {
          @Override
          protected Http2Headers newHeaders() {
            status = null;
            grpcStatus = null;
            return AnswerFields.this;
          }
        };
  }

  /**
   * Decodes a field block in place of the one before.
   *
   * @return {@link ErrorCode#NO_ERROR}, or what the connection has to end with.
   */
  int decode(int streamId, ByteBuf from, int offset, int bytes) {
    final int readerIndex = from.readerIndex();
    final int writerIndex = from.writerIndex();
    fault = ErrorCode.NO_ERROR;
    try {
      decoder.decodeHeaders(streamId, from.setIndex(offset, offset + bytes));
    } catch (Http2Exception.StreamException e) {
      fault = (int) e.error().code();
    } catch (Http2Exception e) {
      return (int) e.error().code();
    } finally {
      from.setIndex(readerIndex, writerIndex);
    }
    return ErrorCode.NO_ERROR;
  }

  /** The code that the last block's stream has to end with, or {@link ErrorCode#NO_ERROR}. */
  int fault() {
    return fault;
  }

  @Override
  public Http2Headers add(CharSequence name, CharSequence value) {
    validateName(nameValidator(), true, name);
    validateValue(valueValidator(), name, value);
    if (STATUS.contentEquals(name)) {
      if (status != null) {
        throw new IllegalArgumentException("a second status");
      }
      status = value;
    } else if (GRPC_STATUS.contentEquals(name)) {
      grpcStatus = value;
    }
    return this;
  }

  /** The status as it was sent; null if it was not. */
  @Override
  public CharSequence status() {
    return status;
  }

  /** The status of gRPC as it was sent; null if it was not. */
  CharSequence grpcStatus() {
    return grpcStatus;
  }
}
