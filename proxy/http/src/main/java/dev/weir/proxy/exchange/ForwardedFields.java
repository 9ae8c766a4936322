package dev.weir.proxy.exchange;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestIds;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.DirectBuffer;

/**
 * Writes the fields that Weir adds to messages: {@code X-Forwarded-For}, {@code X-Forwarded-Proto},
 * {@code X-Forwarded-Host} and {@code X-Request-Id} to requests, and {@code Via} to messages of
 * both directions. Each version of HTTP has its {@link Notation}. {@link FieldPolicy} says which of
 * these fields a client may set itself. One per writer of heads.
 */
public final class ForwardedFields {
  /** How a version of HTTP writes a field. */
  public interface Notation {
    /** Appends a field up to its value, of which so many bytes follow. */
    void begin(ByteBuf out, KnownField field, int valueBytes);

    /** Appends what stands behind a value. */
    void end(ByteBuf out);

    /** Whether a value that came in any version can stand in a field of this one. */
    boolean canHold(DirectBuffer bytes, int from, int to);
  }

  private static final FieldName FORWARDED_FOR = FieldName.of("x-forwarded-for");
  private static final byte[] SEPARATOR = ascii(", ");
  private static final int NONE = -1;

  private final Notation notation;
  private final byte[] http;
  private final byte[] https;
  private final byte[] via;
  private final RequestIds ids = new RequestIds();

  /** Writes fields in a version of HTTP. */
  public ForwardedFields(Notation notation) {
    this.notation = notation;
    http = field(notation, KnownField.X_FORWARDED_PROTO, "http");
    https = field(notation, KnownField.X_FORWARDED_PROTO, "https");
    via = via(notation);
  }

  /** The field Via, as it stands in requests and responses. */
  public static byte[] via(Notation notation) {
    return field(notation, KnownField.VIA, "1.1 weir");
  }

  private static byte[] field(Notation notation, KnownField name, String value) {
    ByteBuf out = Unpooled.buffer();
    notation.begin(out, name, value.length());
    out.writeBytes(ascii(value));
    notation.end(out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  /**
   * Appends the fields of a request.
   *
   * @param policy has seen the request's own fields.
   */
  public void write(ByteBuf out, RequestView view, FieldPolicy policy) {
    writeForwardedFor(out, view);
    if (policy.addsToRequest(KnownField.X_FORWARDED_PROTO)) {
      out.writeBytes(view.peer().secure() ? https : http);
    }
    if (policy.addsToRequest(KnownField.X_FORWARDED_HOST) && view.authorityLength() > 0) {
      notation.begin(out, KnownField.X_FORWARDED_HOST, view.authorityLength());
      TextWriter.copy(view.bytes(), view.authorityOffset(), view.authorityLength(), out);
      notation.end(out);
    }
    out.writeBytes(via);
    if (policy.addsToRequest(KnownField.X_REQUEST_ID)) {
      notation.begin(out, KnownField.X_REQUEST_ID, RequestIds.BYTES);
      ids.next();
      ids.write(out);
      notation.end(out);
    }
  }

  /**
   * Writes one {@code X-Forwarded-For}: all addresses that the request has in it, whoever set them,
   * and the peer's.
   */
  private void writeForwardedFor(ByteBuf out, RequestView view) {
    byte[] peer = view.peer().text();
    int first = forwardedFor(view, 0);
    int length = peer.length;
    for (int i = first; i != NONE; i = forwardedFor(view, i + 1)) {
      length += view.valueLength(i) + SEPARATOR.length;
    }
    notation.begin(out, KnownField.X_FORWARDED_FOR, length);
    for (int i = first; i != NONE; i = forwardedFor(view, i + 1)) {
      TextWriter.copy(view.bytes(), view.valueOffset(i), view.valueLength(i), out);
      out.writeBytes(SEPARATOR);
    }
    out.writeBytes(peer);
    notation.end(out);
  }

  /**
   * The next non-empty {@code X-Forwarded-For} from an index on; the field policy omits them all.
   */
  private int forwardedFor(RequestView view, int from) {
    int nameLength = FORWARDED_FOR.length();
    for (int i = from; i < view.fieldCount(); i++) {
      int value = view.valueOffset(i);
      int valueEnd = value + view.valueLength(i);
      if (view.nameLength(i) == nameLength
          && valueEnd > value
          && FORWARDED_FOR.matches(view.bytes(), view.nameOffset(i), nameLength)
          && notation.canHold(view.bytes(), value, valueEnd)) {
        return i;
      }
    }
    return NONE;
  }
}
