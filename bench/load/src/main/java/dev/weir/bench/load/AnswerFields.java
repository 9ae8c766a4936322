package dev.weir.bench.load;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
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

  private AnswerFields() {}

  /** Decodes into the same fields, again and again. */
  static DefaultHttp2HeadersDecoder decoder(int maxHeaderListBytes) {
    final AnswerFields fields = new AnswerFields();
    return new DefaultHttp2HeadersDecoder(true, maxHeaderListBytes) {
      @Override
      protected Http2Headers newHeaders() {
        fields.status = null;
        fields.grpcStatus = null;
        return fields;
      }
    };
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

  /** As it was sent; null if it was not. */
  @Override
  public CharSequence status() {
    return status;
  }

  /** As it was sent; null if it was not. */
  CharSequence grpcStatus() {
    return grpcStatus;
  }
}
