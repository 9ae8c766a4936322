package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.QuotaPolicy;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * The value of {@code grpc-status-details-bin} for one policy: a {@code google.rpc.Status} in
 * base64 with a {@code QuotaFailure}, which is encoded once, and a {@code RetryInfo}, whose time is
 * each call's. Status is {code 1, message 2, details 3}, an Any {type_url 1, value 2}, QuotaFailure
 * {violations 1 {subject 1, description 2}}, RetryInfo {retry_delay 1 {seconds 1, nanos 2}}.
 */
final class StatusDetails {
  private static final String QUOTA_FAILURE = "type.googleapis.com/google.rpc.QuotaFailure";
  private static final byte[] RETRY_INFO = ascii("type.googleapis.com/google.rpc.RetryInfo");
  private static final byte[] BASE64 =
      ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private static final int CODE_TAG = 1 << 3;
  private static final int MESSAGE = 2;

  /** The most bytes of a message that is written for each call, with its tag and length. */
  private static final int MAX_MESSAGE_BYTES = 3 + GrpcRefusalWriter.MAX_MESSAGE_BYTES;

  private static final int SECONDS_TAG = 1 << 3;
  private static final int NANOS_TAG = 2 << 3;

  /** The most bytes of a Duration: a tag each, nine bytes of seconds, five of nanoseconds. */
  private static final int MAX_DURATION_BYTES = 16;

  /** The most bytes of the message and the RetryInfo, with three bytes that precede them. */
  private static final int MAX_TAIL_BYTES =
      3 + 8 + RETRY_INFO.length + MAX_DURATION_BYTES + MAX_MESSAGE_BYTES;

  /** All but the RetryInfo, as far as it makes whole groups of base64. */
  private final byte[] encoded;

  /** The fewer than three bytes behind that. */
  private final byte[] rest;

  /**
   * @param message as clients are told it, not percent-encoded; empty if {@link #write} gets it.
   * @param policy null if no limit refused: then there is no QuotaFailure.
   */
  StatusDetails(int code, String message, QuotaPolicy policy) {
    ByteArrayOutputStream status = new ByteArrayOutputStream(256);
    status.write(CODE_TAG);
    status.write(code);
    if (!message.isEmpty()) {
      field(status, MESSAGE, utf8(message));
    }
    if (policy != null) {
      field(status, 3, any(utf8(QUOTA_FAILURE), quotaFailure(policy)));
    }
    byte[] all = status.toByteArray();
    int whole = all.length - all.length % 3;
    encoded = Base64.getEncoder().encode(Arrays.copyOf(all, whole));
    rest = Arrays.copyOfRange(all, whole, all.length);
  }

  private static byte[] quotaFailure(QuotaPolicy policy) {
    ByteArrayOutputStream violation = new ByteArrayOutputStream(64);
    field(violation, 1, utf8("policy:" + policy.name()));
    String per = policy.isAtATime() ? " at a time" : " per " + policy.windowSeconds() + " s";
    field(violation, 2, utf8(policy.quota() + per));
    ByteArrayOutputStream failure = new ByteArrayOutputStream(64);
    field(failure, 1, violation.toByteArray());
    return failure.toByteArray();
  }

  private static byte[] any(byte[] typeUrl, byte[] value) {
    ByteArrayOutputStream any = new ByteArrayOutputStream(128);
    field(any, 1, typeUrl);
    field(any, 2, value);
    return any.toByteArray();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Appends a field of bytes. */
  private static void field(ByteArrayOutputStream out, int number, byte[] bytes) {
    out.write(number << 3 | 2);
    for (int left = bytes.length; ; left >>>= 7) {
      if (left < 128) {
        out.write(left);
        break;
      }
      out.write(left & 127 | 128);
    }
    out.writeBytes(bytes);
  }

  /** The most bytes that {@link #write} writes. */
  int bound() {
    return encoded.length + (MAX_TAIL_BYTES + 2) / 3 * 4;
  }

  /**
   * Writes the value, without padding.
   *
   * @param retryNs the time of the RetryInfo; 0 for none.
   * @param message of this call, in UTF-8; empty if that of the constructor is meant.
   * @param out has room for {@link #bound()} bytes.
   * @param scratch has room for {@link #MAX_TAIL_BYTES}.
   * @return how many bytes that are.
   */
  int write(long retryNs, ByteBuf message, byte[] out, byte[] scratch) {
    System.arraycopy(encoded, 0, out, 0, encoded.length);
    System.arraycopy(rest, 0, scratch, 0, rest.length);
    int length = rest.length;
    if (message.isReadable()) {
      length = message(message, scratch, length);
    }
    if (retryNs != 0) {
      length = retryInfo(retryNs, scratch, length);
    }
    return base64(scratch, length, out, encoded.length);
  }

  static byte[] newScratch() {
    return new byte[MAX_TAIL_BYTES];
  }

  private static int message(ByteBuf message, byte[] out, int at) {
    int bytes = message.readableBytes();
    out[at] = MESSAGE << 3 | 2;
    int end = varint(bytes, out, at + 1);
    message.getBytes(message.readerIndex(), out, end, bytes);
    return end + bytes;
  }

  /** Appends the RetryInfo as one of the details; every length is below 128. */
  private static int retryInfo(long ns, byte[] out, int at) {
    int secondsBytes = varintBytes(ns / NS_PER_SECOND);
    int nanosBytes = varintBytes(ns % NS_PER_SECOND);
    int duration = 2 + secondsBytes + nanosBytes;
    int end = at;
    out[end++] = 3 << 3 | 2;
    out[end++] = (byte) (2 + RETRY_INFO.length + 2 + 2 + duration);
    out[end++] = 1 << 3 | 2;
    out[end++] = (byte) RETRY_INFO.length;
    System.arraycopy(RETRY_INFO, 0, out, end, RETRY_INFO.length);
    end += RETRY_INFO.length;
    out[end++] = 2 << 3 | 2;
    out[end++] = (byte) (2 + duration);
    out[end++] = 1 << 3 | 2;
    out[end++] = (byte) duration;
    out[end++] = SECONDS_TAG;
    end = varint(ns / NS_PER_SECOND, out, end);
    out[end++] = NANOS_TAG;
    return varint(ns % NS_PER_SECOND, out, end);
  }

  private static int varintBytes(long value) {
    return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
  }

  private static int varint(long value, byte[] out, int at) {
    int end = at;
    long left = value;
    while (left >= 128) {
      out[end++] = (byte) (left & 127 | 128);
      left >>>= 7;
    }
    out[end++] = (byte) left;
    return end;
  }

  /** Encodes bytes in base64 without padding, and returns where that ends. */
  static int base64(byte[] bytes, int length, byte[] out, int at) {
    int end = at;
    for (int i = 0; i < length; i += 3) {
      int left = length - i;
      int group =
          (bytes[i] & 0xFF) << 16
              | (left > 1 ? (bytes[i + 1] & 0xFF) << 8 : 0)
              | (left > 2 ? bytes[i + 2] & 0xFF : 0);
      out[end++] = BASE64[group >>> 18];
      out[end++] = BASE64[group >>> 12 & 63];
      if (left > 1) {
        out[end++] = BASE64[group >>> 6 & 63];
      }
      if (left > 2) {
        out[end++] = BASE64[group & 63];
      }
    }
    return end;
  }
}
