package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes a refusal as a problem in JSON (RFC 9457), the body of the response in any version of
 * HTTP.
 */
public final class ProblemWriter {
  public static final String CONTENT_TYPE = "application/problem+json";

  /** Bytes of a problem behind the seconds to wait, if it has them. */
  public static final int BYTES_BEHIND_SECONDS = 2;

  private static final byte[] POLICIES = ascii(",\"violated-policies\":[\"");
  private static final byte[] POLICIES_END = ascii("\"]");
  private static final byte[] RETRY_SECONDS = ascii(",\"retry_after_seconds\":");

  /** The text of the problem for each reason, by ordinal, up to its status. */
  private static final byte[][] PROBLEMS = new byte[RefusalReason.values().length][];

  /** Between the status and the variable part. */
  private static final byte[][] REASONS = new byte[RefusalReason.values().length][];

  static {
    for (RefusalReason reason : RefusalReason.values()) {
      PROBLEMS[reason.ordinal()] =
          ascii(
              "{\"type\":\""
                  + Refusal.problemType(reason)
                  + "\",\"title\":\""
                  + reason.title()
                  + "\",\"status\":");
      REASONS[reason.ordinal()] =
          ascii(
              (reason.detail() == null ? "" : ",\"detail\":\"" + reason.detail() + '"')
                  + ",\"reason\":\""
                  + reason.label()
                  + '"');
    }
  }

  private ProblemWriter() {}

  /** Appends the problem. */
  public static void write(ByteBuf out, Refusal refusal) {
    out.writeBytes(PROBLEMS[refusal.reason().ordinal()]);
    TextWriter.writeDecimal(out, refusal.status());
    out.writeBytes(REASONS[refusal.reason().ordinal()]);
    if (refusal.policy() != null) {
      out.writeBytes(POLICIES);
      ByteBufUtil.writeAscii(out, refusal.policy().name());
      out.writeBytes(POLICIES_END);
    }
    if (refusal.retryAfterSeconds() > 0) {
      out.writeBytes(RETRY_SECONDS);
      TextWriter.writeDecimal(out, refusal.retryAfterSeconds());
    }
    out.writeByte('}').writeByte('\n');
  }
}
