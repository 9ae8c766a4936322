package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.downstream.answer.GrpcRefusalTemplate.Form;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.grpc.GrpcMessage;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.AnswerText;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes a refusal as gRPC has it: HTTP's status is 200, and {@code grpc-status}, a message, {@code
 * grpc-status-details-bin} and {@code grpc-retry-pushback-ms} say the rest, with the RateLimit
 * fields. It is a head that is all there is of the response ("trailers only"), or the trailers
 * behind a response that has begun.
 *
 * <p>A browser hides a head's fields from gRPC-Web, so that one has a body too: one frame of
 * trailers, marked by 0x80.
 *
 * <p>One per event loop. {@link #describe} first; what is written then is of that refusal.
 */
public final class GrpcRefusalWriter {
  /** The most kinds of refusals that are kept; rules that are replaced leave theirs behind. */
  private static final int MAX_KINDS = 4096;

  /** The most bytes of a rule's own message. */
  static final int MAX_MESSAGE_BYTES =
      RefusalAnswer.MAX_TEXT_BYTES + AnswerText.MAX_PLACEHOLDERS * AnswerText.MAX_VALUE_BYTES;

  /** The most bytes of what does not grow with a policy's name. */
  private static final int FIXED_BYTES = 1024;

  /** A kind of refusals, whose answers have the same bytes but for times and what is left. */
  private static final class Kind {
    private QuotaPolicy policy;
    private RefusalReason reason;
    private int code;

    Kind of(Refusal refusal) {
      policy = refusal.policy();
      reason = refusal.reason();
      code = refusal.grpcStatus();
      return this;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Kind that
          && policy == that.policy
          && reason == that.reason
          && code == that.code;
    }

    @Override
    public int hashCode() {
      return 31 * (31 * System.identityHashCode(policy) + reason.ordinal()) + code;
    }
  }

  private static final byte TRAILERS_FRAME = (byte) 0x80;
  private static final int FRAME_HEADER_BYTES = 1 + Integer.BYTES;
  private static final byte[] PADDING = {'=', '='};

  /** The beginnings of heads, by type and form. */
  private static final byte[][][] HEADS = new byte[GrpcContentType.values().length][][];

  static {
    for (GrpcContentType type : GrpcContentType.values()) {
      if (type != GrpcContentType.NONE) {
        HEADS[type.ordinal()] =
            new byte[][] {
              GrpcRefusalTemplate.encode(
                  Form.BLOCK, ":status", "200", "content-type", type.contentType()),
              GrpcRefusalTemplate.encode(Form.LINES, "content-type", type.contentType())
            };
      }
    }
  }

  private final boolean rateLimit;
  private final boolean xRateLimit;
  private final Map<Kind, GrpcRefusalTemplate> templates = new HashMap<>();

  /** The kind that is looked up. */
  private Kind kind = new Kind();

  private final Refusal refusal = new Refusal();
  private final FieldEncoder encoder = new FieldEncoder();
  private final byte[] scratch = StatusDetails.newScratch();

  // On the heap: they live as long as their loop.
  private final ByteBuf details = Unpooled.buffer(512);
  private final ByteBuf value = Unpooled.buffer(256);
  private final ByteBuf message = Unpooled.buffer(256);
  private final ByteBuf frame = Unpooled.buffer(1024);
  private final ByteBuf text = Unpooled.buffer(1024);
  private GrpcRefusalTemplate template;

  /**
   * @param rateLimit whether {@code ratelimit} and {@code ratelimit-policy} are written.
   * @param xRateLimit whether the {@code x-ratelimit} fields are.
   */
  public GrpcRefusalWriter(boolean rateLimit, boolean xRateLimit) {
    this.rateLimit = rateLimit;
    this.xRateLimit = xRateLimit;
  }

  /**
   * Begins with a refusal.
   *
   * @param verdict one that does not allow; read during the call only.
   * @return the most bytes of any head, trailers or body of it.
   */
  public int describe(Verdict verdict) {
    refusal.describe(verdict);
    template = template();
    details.clear();
    message.clear();
    AnswerText own = refusal.grpcMessage();
    if (own != null) {
      refusal.write(message, own);
    }
    if (refusal.policy() != null || refusal.retryAfterNs() > 0) {
      StatusDetails of = own == null ? template.details() : template.detailsWithoutMessage();
      details.ensureWritable(of.bound());
      details.writerIndex(of.write(refusal.retryAfterNs(), message, details.array(), scratch));
    }
    int nameBytes = refusal.policy() == null ? 0 : refusal.policy().name().length();
    int mostBytes = FIXED_BYTES + 4 * nameBytes + 2 * details.readableBytes();
    return refusal.answer() == null ? mostBytes : mostBytes + ownBytes();
  }

  private int ownBytes() {
    int bytes = 3 * message.readableBytes();
    for (int i = 0; i < refusal.fields().size(); i++) {
      RefusalAnswer.Field field = refusal.fields().get(i);
      bytes += FieldEncoder.FIELD_OVERHEAD_BYTES + field.name().length + field.value().mostBytes();
    }
    return bytes;
  }

  private GrpcRefusalTemplate template() {
    GrpcRefusalTemplate found = templates.get(kind.of(refusal));
    if (found == null) {
      if (templates.size() == MAX_KINDS) {
        templates.clear();
      }
      found = new GrpcRefusalTemplate(refusal.reason(), refusal.grpcStatus(), refusal.policy());
      templates.put(kind, found);
      kind = new Kind();
    }
    return found;
  }

  /**
   * Appends the response's head as a field block of HTTP/2, status included.
   *
   * @param type other than {@link GrpcContentType#NONE}. Of gRPC the head is all, of gRPC-Web there
   *     is a {@link #body}.
   */
  public void writeHead(ByteBuf out, GrpcContentType type) {
    writeHead(out, type, Form.BLOCK);
  }

  /** Appends the fields of the response's head as lines of HTTP/1.1, for gRPC-Web. */
  public void writeLines(ByteBuf out, GrpcContentType type) {
    writeHead(out, type, Form.LINES);
  }

  private void writeHead(ByteBuf out, GrpcContentType type, Form form) {
    out.writeBytes(HEADS[type.ordinal()][form.ordinal()]);
    writeStatus(out, form);
    out.writeBytes(template.ofEnvoy(form));
    writeLimit(out, form);
    for (int i = 0; i < refusal.fields().size(); i++) {
      writeField(out, form, refusal.fields().get(i));
    }
  }

  private void writeField(ByteBuf out, Form form, RefusalAnswer.Field field) {
    refusal.write(value.clear(), field.value());
    switch (form) {
      case BLOCK -> encoder.field(out, field.lowerCaseName(), value.array(), value.readableBytes());
      case LINES -> {
        out.writeBytes(field.name()).writeByte(':').writeByte(' ');
        out.writeBytes(value.array(), value.arrayOffset(), value.readableBytes());
        out.writeByte('\r').writeByte('\n');
      }
    }
  }

  /** Appends the trailers of a response that has begun, as a field block of HTTP/2. */
  public void writeTrailers(ByteBuf out) {
    writeStatus(out, Form.BLOCK);
  }

  private void writeStatus(ByteBuf out, Form form) {
    out.writeBytes(template.status(form));
    if (message.isReadable()) {
      GrpcMessage.percentEncode(message.array(), message.readableBytes(), value.clear());
      writeField(out, form, FieldKind.GRPC_MESSAGE, value);
    } else {
      out.writeBytes(template.message(form));
    }
    if (details.isReadable()) {
      writeField(out, form, FieldKind.GRPC_STATUS_DETAILS_BIN, details);
    }
    long pushbackMs = GrpcPushback.ms(refusal);
    if (pushbackMs != GrpcPushback.UNSAID) {
      value.clear();
      if (pushbackMs < 0) {
        value.writeByte('-');
      }
      TextWriter.writeDecimal(value, Math.abs(pushbackMs));
      writeField(out, form, FieldKind.GRPC_RETRY_PUSHBACK_MS, value);
    }
  }

  private void writeLimit(ByteBuf out, Form form) {
    QuotaPolicy policy = refusal.policy();
    if (policy == null) {
      return;
    }
    if (rateLimit) {
      out.writeBytes(template.policyField(form));
      value.clear();
      LimitValues.writeLimit(value, policy, refusal.remaining(), refusal.waitSeconds());
      writeField(out, form, FieldKind.RATELIMIT, value);
    }
    if (xRateLimit) {
      out.writeBytes(template.quotaField(form));
      TextWriter.writeDecimal(value.clear(), refusal.remaining());
      writeField(out, form, FieldKind.X_RATELIMIT_REMAINING, value);
      if (!policy.isAtATime()) {
        TextWriter.writeDecimal(value.clear(), refusal.waitSeconds());
        writeField(out, form, FieldKind.X_RATELIMIT_RESET, value);
      }
    }
    if (refusal.state() != null) {
      StateField field = StateField.of(refusal.state());
      out.writeBytes(form == Form.BLOCK ? field.block() : field.line());
    }
  }

  /**
   * Appends a field, and all of {@code from} as it is.
   *
   * @param from has an array: of another buffer's bytes a view would be made.
   */
  private void writeField(ByteBuf out, Form form, int kind, ByteBuf from) {
    int length = from.readableBytes();
    switch (form) {
      case BLOCK -> encoder.begin(out, kind, length);
      case LINES -> {
        ByteBufUtil.writeAscii(out, FieldKind.name(kind));
        out.writeByte(':').writeByte(' ');
      }
    }
    out.writeBytes(from.array(), from.arrayOffset() + from.readerIndex(), length);
    if (form == Form.LINES) {
      out.writeByte('\r').writeByte('\n');
    }
  }

  /**
   * The body of a response of gRPC-Web.
   *
   * @return valid until the next call; not the caller's to release.
   */
  public ByteBuf body(GrpcContentType type) {
    frame.clear().writeByte(TRAILERS_FRAME).writeInt(0);
    writeStatus(frame, Form.LINES);
    frame.setInt(1, frame.readableBytes() - FRAME_HEADER_BYTES);
    return type == GrpcContentType.WEB_TEXT ? base64(frame) : frame;
  }

  private ByteBuf base64(ByteBuf bytes) {
    int length = bytes.readableBytes();
    text.clear().ensureWritable((length + 2) / 3 * 4);
    text.writerIndex(StatusDetails.base64(bytes.array(), length, text.array(), 0));
    return text.writeBytes(PADDING, 0, (3 - length % 3) % 3);
  }
}
