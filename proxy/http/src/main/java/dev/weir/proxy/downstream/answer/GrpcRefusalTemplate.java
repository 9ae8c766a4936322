package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.grpc.GrpcMessage;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The common part of all refusals for one reason by one policy, encoded: all but times and what is
 * left.
 */
final class GrpcRefusalTemplate {
  /** The notation of fields. */
  enum Form {
    /** A field block of HTTP/2. */
    BLOCK,

    /** Lines of HTTP/1.1, and of the trailers in a body of gRPC-Web. */
    LINES
  }

  private static final int FORMS = Form.values().length;

  private final byte[][] status = new byte[FORMS][];
  private final byte[][] message = new byte[FORMS][];
  private final byte[][] ofEnvoy = new byte[FORMS][];
  private final byte[][] policyField = new byte[FORMS][];
  private final byte[][] quotaField = new byte[FORMS][];
  private final StatusDetails details;
  private final StatusDetails detailsWithoutMessage;

  /**
   * @param code of the status.
   * @param policy null if no limit refused.
   */
  GrpcRefusalTemplate(RefusalReason reason, int code, QuotaPolicy policy) {
    String text = message(reason, policy);
    details = new StatusDetails(code, text, policy);
    detailsWithoutMessage = new StatusDetails(code, "", policy);
    for (Form form : Form.values()) {
      int i = form.ordinal();
      status[i] = encode(form, "grpc-status", Integer.toString(code));
      message[i] = encode(form, "grpc-message", GrpcMessage.percentEncoded(text));
      ofEnvoy[i] =
          GrpcPushback.isOfQuota(reason)
              ? encode(form, "x-envoy-ratelimited", "true")
              : new byte[0];
      if (policy != null) {
        policyField[i] = encode(form, "ratelimit-policy", text(policy));
        quotaField[i] = encode(form, "x-ratelimit-limit", Long.toString(policy.quota()));
      }
    }
  }

  /** Fields that are always the same, in a form. */
  static byte[] encode(Form form, String... namesAndValues) {
    HpackEncoder block = new HpackEncoder();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      block.add(namesAndValues[i], namesAndValues[i + 1]);
      lines.append(namesAndValues[i]).append(": ").append(namesAndValues[i + 1]).append("\r\n");
    }
    return switch (form) {
      case BLOCK -> block.bytes();
      case LINES -> TextWriter.ascii(lines.toString());
    };
  }

  private static String message(RefusalReason reason, QuotaPolicy policy) {
    return policy == null ? reason.title() : reason.title() + ": " + policy.name();
  }

  private static String text(QuotaPolicy policy) {
    ByteBuf text = Unpooled.buffer();
    LimitValues.writePolicy(text, policy);
    return text.toString(StandardCharsets.US_ASCII);
  }

  byte[] status(Form form) {
    return status[form.ordinal()];
  }

  /** {@code grpc-message}, unless the rule has its own. */
  byte[] message(Form form) {
    return message[form.ordinal()];
  }

  /** The field for which an Envoy on the way leaves a refusal alone; may be empty. */
  byte[] ofEnvoy(Form form) {
    return ofEnvoy[form.ordinal()];
  }

  /** {@code ratelimit-policy}; there is a policy. */
  byte[] policyField(Form form) {
    return policyField[form.ordinal()];
  }

  /** {@code x-ratelimit-limit}; there is a policy. */
  byte[] quotaField(Form form) {
    return quotaField[form.ordinal()];
  }

  StatusDetails details() {
    return details;
  }

  /** The details for a rule's own message. */
  StatusDetails detailsWithoutMessage() {
    return detailsWithoutMessage;
  }
}
