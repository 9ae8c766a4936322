package dev.weir.proxy.grpc;

import dev.weir.proxy.exchange.LimitValues;
import dev.weir.proxy.grpc.GrpcField.Form;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The common part of all refusals for one reason by one policy, encoded: all but times and what is
 * left.
 */
final class GrpcRefusalTemplate {
  private static final int FORMS = Form.values().length;

  private final byte[][] status = new byte[FORMS][];
  private final byte[][] ofEnvoy = new byte[FORMS][];
  private final byte[][] policyField = new byte[FORMS][];
  private final byte[][] quotaField = new byte[FORMS][];
  private final StatusDetails details;

  /**
   * @param policy null if no limit refused.
   */
  GrpcRefusalTemplate(RefusalReason reason, QuotaPolicy policy) {
    String message = message(reason, policy);
    details = new StatusDetails(reason.grpcStatus(), message, policy);
    String code = Integer.toString(reason.grpcStatus());
    for (Form form : Form.values()) {
      int i = form.ordinal();
      status[i] =
          GrpcField.encode(
              form, "grpc-status", code, "grpc-message", GrpcMessage.percentEncoded(message));
      ofEnvoy[i] =
          GrpcPushback.isOfQuota(reason)
              ? GrpcField.encode(form, "x-envoy-ratelimited", "true")
              : new byte[0];
      if (policy != null) {
        policyField[i] = GrpcField.encode(form, "ratelimit-policy", text(policy));
        quotaField[i] = GrpcField.encode(form, "x-ratelimit-limit", Long.toString(policy.quota()));
      }
    }
  }

  private static String message(RefusalReason reason, QuotaPolicy policy) {
    return policy == null ? reason.title() : reason.title() + ": " + policy.name();
  }

  private static String text(QuotaPolicy policy) {
    ByteBuf text = Unpooled.buffer();
    LimitValues.writePolicy(text, policy);
    return text.toString(StandardCharsets.US_ASCII);
  }

  /** Status and message. */
  byte[] status(Form form) {
    return status[form.ordinal()];
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
}
