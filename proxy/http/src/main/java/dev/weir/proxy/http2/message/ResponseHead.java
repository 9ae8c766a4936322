package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;

/**
 * What a service has sent as a head or as trailers (RFC 9113, section 8.3.2), read from its block
 * of fields and checked. One per event loop, refilled by each {@link #readHead} and {@link
 * #readTrailers}, and valid as long as the block is.
 */
public final class ResponseHead implements IncomingResponse {
  private static final int STATUS_DIGITS = 3;

  private final RequestView fields;
  private final TrailerSection trailers;
  private FieldBlock block;
  private int status;
  private long contentLength;
  private long rateLimitRemaining;
  private boolean hasBody;

  /**
   * @param maxFieldCount the most fields in a block.
   */
  public ResponseHead(int maxFieldCount) {
    fields = new RequestView(maxFieldCount);
    trailers = new TrailerSection(maxFieldCount);
  }

  /**
   * Reads a head.
   *
   * @param headMethod whether the request's method was HEAD.
   * @param ended whether the stream ended with it.
   * @return false if it is none that may be passed on.
   */
  public boolean readHead(FieldBlock block, boolean headMethod, boolean ended) {
    if (block.malformed() || block.tooLarge() || !start(block)) {
      return false;
    }
    contentLength = Ascii.NO_NUMBER;
    rateLimitRemaining = Ascii.NO_NUMBER;
    for (int i = 0; i < block.count(); i++) {
      int kind = block.kind(i);
      if (kind == FieldKind.STATUS) {
        continue;
      }
      if (FieldKind.isPseudo(kind) || !addField(block, i) || !takeNoteOf(block, i)) {
        return false;
      }
    }
    boolean bodyless = headMethod || status < 200 || status == 204 || status == 304;
    hasBody = !bodyless && !ended;
    boolean isCut = !bodyless && ended && contentLength > 0;
    return !isCut && (status >= 200 || !ended);
  }

  private boolean start(FieldBlock newBlock) {
    block = newBlock;
    fields.reset(block.bytes(), 0, block.bytes().capacity(), Peer.LOOPBACK);
    int at = block.find(FieldKind.STATUS, 0);
    if (at < 0 || block.valueLength(at) != STATUS_DIGITS) {
      return false;
    }
    status = (int) Ascii.decimal(block.bytes(), block.valueOffset(at), STATUS_DIGITS);
    return status >= 100 && status <= 599 && status != 101;
  }

  private boolean addField(FieldBlock block, int index) {
    boolean added =
        fields.addField(
            block.nameOffset(index),
            block.nameLength(index),
            block.valueOffset(index),
            block.valueLength(index));
    KnownField known = KnownKinds.of(block.kind(index));
    if (added && known != null && !FieldPolicy.passesResponse(known)) {
      fields.omit(fields.fieldCount() - 1);
    }
    return added;
  }

  /** Reads what the field says of the message; false if that may not be said. */
  private boolean takeNoteOf(FieldBlock block, int index) {
    int offset = block.valueOffset(index);
    int length = block.valueLength(index);
    switch (block.kind(index)) {
      case FieldKind.CONTENT_LENGTH -> {
        boolean isFirst = contentLength == Ascii.NO_NUMBER;
        contentLength = Ascii.decimal(block.bytes(), offset, length);
        return isFirst && contentLength != Ascii.NO_NUMBER;
      }
      case FieldKind.X_RATELIMIT_REMAINING -> {
        rateLimitRemaining = Ascii.decimal(block.bytes(), offset, length);
        return true;
      }
      default -> {
        return true;
      }
    }
  }

  /**
   * Reads trailers; null if they are none.
   *
   * @return the fields that may stand behind a body.
   */
  public RequestView readTrailers(FieldBlock block) {
    if (block.malformed() || block.tooLarge() || block.hasPseudo()) {
      return null;
    }
    return trailers.read(block);
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public RequestView fields() {
    return fields;
  }

  /** The {@link FieldKind} of a field of {@link #fields}. */
  int kind(int fieldIndex) {
    return block.kind(inBlock(fieldIndex));
  }

  /** Writes a field of {@link #fields} as it came. */
  void writeField(int fieldIndex, FieldEncoder encoder, ByteBuf out) {
    encoder.field(out, block, inBlock(fieldIndex));
  }

  private int inBlock(int fieldIndex) {
    return block.count() - fields.fieldCount() + fieldIndex;
  }

  @Override
  public long contentLength() {
    return contentLength;
  }

  @Override
  public boolean hasBody() {
    return hasBody;
  }

  /** Whether a WebSocket that was asked for is agreed to (RFC 8441, section 5). */
  public boolean agrees() {
    return status >= 200 && status <= 299;
  }

  /** Whether another response to the same request follows. */
  public boolean informational() {
    return status < 200;
  }

  @Override
  public long rateLimitRemaining() {
    return rateLimitRemaining;
  }
}
