package dev.weir.proxy.client;

import static dev.weir.proxy.http.TextWriter.ascii;

import dev.weir.proxy.http.TextWriter;
import dev.weir.proxy.http1.ResponseHeadWriter;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writes the answer to a request that is not passed on: status, {@code Retry-After}, the RateLimit
 * fields, and a problem (RFC 9457) as the body. One per event loop.
 */
final class RefusalWriter {
  private static final byte[] CONTENT =
      ascii("Content-Type: application/problem+json\r\nContent-Length: ");
  private static final byte[] RETRY_AFTER = ascii("Retry-After: ");
  private static final byte[] AUTHENTICATE = ascii("WWW-Authenticate: ApiKey realm=\"weir\"\r\n");
  private static final byte[] CRLF = ascii("\r\n");
  private static final byte[] POLICIES = ascii(",\"violated-policies\":[\"");
  private static final byte[] POLICIES_END = ascii("\"]");
  private static final byte[] RETRY_SECONDS = ascii(",\"retry_after_seconds\":");
  private static final int FIXED_BYTES = 512;
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  /** For each reason, by ordinal: the status line, and the body up to where it may vary. */
  private static final byte[][] STATUS_LINES = new byte[RefusalReason.values().length][];

  private static final byte[][] PROBLEMS = new byte[RefusalReason.values().length][];

  static {
    for (RefusalReason reason : RefusalReason.values()) {
      int status = reason.httpStatus();
      String phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
      STATUS_LINES[reason.ordinal()] = ascii("HTTP/1.1 " + status + ' ' + phrase + "\r\n");
      PROBLEMS[reason.ordinal()] =
          ascii(
              "{\"type\":\""
                  + (status == 429 ? QUOTA_EXCEEDED : "about:blank")
                  + "\",\"title\":\""
                  + reason.title()
                  + "\",\"status\":"
                  + status
                  + ",\"reason\":\""
                  + reason.name().toLowerCase(Locale.ROOT)
                  + '"');
    }
  }

  /** Two digits for the day, which RFC_1123_DATE_TIME does not promise. */
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

  private final RateLimitFields rateLimitFields;
  private final ByteBuf body = Unpooled.buffer(1024); // on the heap: it lives as long as its loop
  private final Verdict plain = new Verdict();
  private byte[] date = {};
  private long dateSecond = -1;

  RefusalWriter(RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  /** The verdict for a reason that has nothing to do with a quota; valid until the next call. */
  Verdict plain(RefusalReason reason) {
    return plain.refuse(reason);
  }

  /**
   * The answer to a refused request.
   *
   * @param close whether the connection ends with it.
   * @param http10 whether the client must be told if the connection does not end.
   * @param headMethod whether to leave the body out.
   */
  ByteBuf write(
      ByteBufAllocator allocator,
      Verdict verdict,
      boolean close,
      boolean http10,
      boolean headMethod) {
    QuotaPolicy policy = verdict.policy();
    long retryAfterSeconds =
        verdict.retryAfterNs() == 0
            ? 0
            : Math.max(1, RateLimitFields.ceilSeconds(verdict.retryAfterNs()));
    RefusalReason reason = verdict.refusal();
    writeBody(reason, policy, retryAfterSeconds);

    ByteBuf out =
        allocator.directBuffer(FIXED_BYTES + body.readableBytes() + RateLimitFields.bound(policy));
    out.writeBytes(STATUS_LINES[reason.ordinal()]);
    writeDate(out);
    out.writeBytes(CONTENT);
    TextWriter.writeDecimal(out, body.readableBytes());
    out.writeBytes(CRLF);
    if (retryAfterSeconds > 0) {
      out.writeBytes(RETRY_AFTER);
      TextWriter.writeDecimal(out, retryAfterSeconds);
      out.writeBytes(CRLF);
    }
    if (reason == RefusalReason.IDENTITY_MISSING) {
      out.writeBytes(AUTHENTICATE);
    }
    long waitNs = verdict.retryAfterNs() > 0 ? verdict.retryAfterNs() : verdict.resetAfterNs();
    rateLimitFields.write(out, policy, verdict.remaining(), waitNs, true);
    if (close) {
      ResponseHeadWriter.addClose(out);
    } else if (http10) {
      ResponseHeadWriter.addKeepAlive(out);
    }
    ResponseHeadWriter.end(out);
    if (!headMethod) {
      out.writeBytes(body);
    }
    return out;
  }

  private void writeBody(RefusalReason reason, QuotaPolicy policy, long retryAfterSeconds) {
    body.clear();
    body.writeBytes(PROBLEMS[reason.ordinal()]);
    if (policy != null) {
      body.writeBytes(POLICIES);
      ByteBufUtil.writeAscii(body, policy.name());
      body.writeBytes(POLICIES_END);
    }
    if (retryAfterSeconds > 0) {
      body.writeBytes(RETRY_SECONDS);
      TextWriter.writeDecimal(body, retryAfterSeconds);
    }
    body.writeByte('}').writeByte('\n');
  }

  /** The Date field (RFC 9110, section 6.6.1), formatted once per second. */
  private void writeDate(ByteBuf out) {
    long second = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    if (second != dateSecond) {
      dateSecond = second;
      date =
          ascii(
              "Date: "
                  + IMF_FIXDATE.format(Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC))
                  + "\r\n");
    }
    out.writeBytes(date);
  }
}
