package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.downstream.answer.GrpcRefusalTemplate.Form;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.IdentityHashMap;
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
  /** The most policies that are kept encoded; rules that are replaced leave theirs behind. */
  private static final int MAX_POLICIES = 1024;

  /** The most bytes of what does not grow with a policy's name. */
  private static final int FIXED_BYTES = 1024;

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
  private final Map<QuotaPolicy, GrpcRefusalTemplate[]> byPolicy = new IdentityHashMap<>();
  private final GrpcRefusalTemplate[] withoutPolicy =
      new GrpcRefusalTemplate[RefusalReason.values().length];
  private final Refusal refusal = new Refusal();
  private final FieldEncoder encoder = new FieldEncoder();
  private final byte[] scratch = StatusDetails.newScratch();

  // On the heap: they live as long as their loop.
  private final ByteBuf details = Unpooled.buffer(512);
  private final ByteBuf value = Unpooled.buffer(256);
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
    template = template(refusal.reason(), refusal.policy());
    details.clear();
    if (refusal.policy() != null || refusal.retryAfterNs() > 0) {
      StatusDetails of = template.details();
      details.ensureWritable(of.bound());
      details.writerIndex(of.write(refusal.retryAfterNs(), details.array(), scratch));
    }
    int nameBytes = refusal.policy() == null ? 0 : refusal.policy().name().length();
    return FIXED_BYTES + 4 * nameBytes + 2 * details.readableBytes();
  }

  private GrpcRefusalTemplate template(RefusalReason reason, QuotaPolicy policy) {
    GrpcRefusalTemplate[] templates = policy == null ? withoutPolicy : byPolicy.get(policy);
    if (templates == null) {
      templates = new GrpcRefusalTemplate[RefusalReason.values().length];
      if (byPolicy.size() == MAX_POLICIES) {
        byPolicy.clear();
      }
      byPolicy.put(policy, templates);
    }
    GrpcRefusalTemplate found = templates[reason.ordinal()];
    if (found == null) {
      found = new GrpcRefusalTemplate(reason, policy);
      templates[reason.ordinal()] = found;
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
  }

  /** Appends the trailers of a response that has begun, as a field block of HTTP/2. */
  public void writeTrailers(ByteBuf out) {
    writeStatus(out, Form.BLOCK);
  }

  private void writeStatus(ByteBuf out, Form form) {
    out.writeBytes(template.status(form));
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
      TextWriter.writeDecimal(value.clear(), refusal.waitSeconds());
      writeField(out, form, FieldKind.X_RATELIMIT_RESET, value);
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
