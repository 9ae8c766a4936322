package dev.weir.proxy.envoy.call;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.weir.proxy.envoy.file.LimitUnit;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Writes a verdict as JSON, as proto3 maps its response. */
final class JsonVerdict {
  private static final long NS_PER_SECOND = 1_000_000_000;

  private JsonVerdict() {}

  static byte[] write(RateLimitVerdict verdict) {
    StringBuilder out = new StringBuilder(256);
    out.append("{\"overallCode\":\"").append(code(verdict.isOverLimit()));
    out.append("\",\"statuses\":[");
    for (int i = 0; i < verdict.count(); i++) {
      out.append(i == 0 ? "" : ",");
      status(verdict.status(i), out);
    }
    out.append(']');
    headers(verdict, out);
    return out.append("}").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void status(DescriptorStatus status, StringBuilder out) {
    out.append("{\"code\":\"").append(code(status.isOver())).append('"');
    LimitUnit unit = status.unit();
    if (unit != null) {
      out.append(",\"currentLimit\":{");
      if (!status.name().isEmpty()) {
        out.append("\"name\":");
        text(status.name(), out);
        out.append(',');
      }
      if (status.requestsPerUnit() > 0) {
        out.append("\"requestsPerUnit\":").append(status.requestsPerUnit()).append(',');
      }
      out.append("\"unit\":\"").append(unit.name()).append("\"}");
    }
    if (status.remaining() > 0) {
      out.append(",\"limitRemaining\":").append(status.remaining());
    }
    if (unit != null) {
      out.append(",\"durationUntilReset\":\"");
      duration(status.resetNs(), out);
      out.append("s\"");
    }
    out.append('}');
  }

  private static void headers(RateLimitVerdict verdict, StringBuilder out) {
    HeaderFields fields = new HeaderFields();
    fields.begin(verdict);
    String before = ",\"responseHeadersToAdd\":[";
    boolean isAny = false;
    while (fields.next()) {
      out.append(isAny ? "," : before).append("{\"key\":");
      text(new String(fields.name(), StandardCharsets.US_ASCII), out);
      out.append(",\"value\":");
      text(fields.value().getStringWithoutLengthAscii(0, fields.valueLength()), out);
      out.append('}');
      isAny = true;
    }
    out.append(isAny ? "]" : "");
  }

  /** Seconds with three, six or nine decimal places, or none. */
  private static void duration(long ns, StringBuilder out) {
    out.append(ns / NS_PER_SECOND);
    long fraction = ns % NS_PER_SECOND;
    if (fraction != 0) {
      String digits = String.format(Locale.ROOT, "%09d", fraction);
      int length = fraction % 1_000_000 == 0 ? 3 : fraction % 1_000 == 0 ? 6 : 9;
      out.append('.').append(digits, 0, length);
    }
  }

  private static String code(boolean isOver) {
    return isOver ? "OVER_LIMIT" : "OK";
  }

  private static void text(String text, StringBuilder out) {
    out.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    out.append('"');
  }
}
