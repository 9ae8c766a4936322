package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.grpc.GrpcMessage;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class GrpcRefusalWriterTest {
  private static final QuotaPolicy POLICY = new QuotaPolicy("free", 100, 60);
  private static final QuotaPolicy LARGEST =
      new QuotaPolicy("p".repeat(300), 999_999_999_999_999L, 31_536_000);
  private static final long SECOND_NS = 1_000_000_000L;

  private final GrpcRefusalWriter writer = new GrpcRefusalWriter(true, true);
  private final Verdict verdict = new Verdict();
  private final ByteBuf out = Unpooled.buffer(0);

  private Verdict overLimit(QuotaPolicy policy, long retryNs) {
    return verdict.refuse(RefusalReason.OVER_LIMIT, policy, policy.quota(), 3, SECOND_NS, retryNs);
  }

  private Http2Headers head(GrpcRefusalWriter by, Verdict refused, GrpcContentType type)
      throws Http2Exception {
    int bound = by.describe(refused);
    out.clear();
    by.writeHead(out, type);
    assertTrue(out.readableBytes() <= bound, out.readableBytes() + " bytes, at most " + bound);
    return decoded();
  }

  private Http2Headers decoded() throws Http2Exception {
    return new DefaultHttp2HeadersDecoder(true, 1 << 20).decodeHeaders(1, out.duplicate());
  }

  private static String field(Http2Headers fields, String name) {
    CharSequence value = fields.get(name);
    return value == null ? null : value.toString();
  }

  /** Fields of a message of Protocol Buffers, in their order: numbers, and bytes as they are. */
  private static List<Object> message(byte[] bytes) {
    List<Object> fields = new ArrayList<>();
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    while (in.isReadable()) {
      int tag = (int) varint(in);
      fields.add(tag >>> 3);
      if ((tag & 7) == 0) {
        fields.add(varint(in));
      } else {
        assertEquals(2, tag & 7, "wire type");
        byte[] value = new byte[(int) varint(in)];
        in.readBytes(value);
        fields.add(value);
      }
    }
    return fields;
  }

  private static long varint(ByteBuf in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = in.readByte();
      value |= (b & 127L) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  private static String text(Object bytes) {
    return new String((byte[]) bytes, StandardCharsets.UTF_8);
  }

  /** As {@code type value...}, numbers and texts. */
  private static List<String> details(String base64) {
    List<Object> status = message(Base64.getDecoder().decode(base64));
    List<String> texts = new ArrayList<>();
    texts.add(status.get(1) + " " + text(status.get(3)));
    for (int i = 4; i < status.size(); i += 2) {
      assertEquals(3, status.get(i));
      List<Object> any = message((byte[]) status.get(i + 1));
      String type = text(any.get(1)).replace("type.googleapis.com/google.rpc.", "");
      List<Object> inner = message((byte[]) message((byte[]) any.get(3)).get(1));
      texts.add(
          type.equals("RetryInfo")
              ? type + ' ' + inner.get(1) + ' ' + inner.get(3)
              : type + ' ' + text(inner.get(1)) + ", " + text(inner.get(3)));
    }
    return texts;
  }

  @Test
  void tellsNoTimeOfRequestsAtATime() throws Http2Exception {
    QuotaPolicy running = new QuotaPolicy("running", 4, QuotaPolicy.NO_WINDOW);
    Http2Headers head = head(writer, overLimit(running, SECOND_NS), GrpcContentType.GRPC);
    assertEquals("\"running\";q=4;qu=\"concurrent-requests\"", field(head, "ratelimit-policy"));
    assertEquals("\"running\";r=3", field(head, "ratelimit"));
    assertEquals("3", field(head, "x-ratelimit-remaining"));
    assertFalse(head.contains("x-ratelimit-reset"));
    assertEquals("1000", field(head, "grpc-retry-pushback-ms"));
  }

  @Test
  void isAHeadThatSaysAllOfTheRefusal() throws Http2Exception {
    Http2Headers head = head(writer, overLimit(POLICY, 1_500_000_001L), GrpcContentType.GRPC);
    assertEquals("200", head.status().toString());
    assertEquals("application/grpc", field(head, "content-type"));
    assertEquals("8", field(head, "grpc-status"));
    assertEquals("Quota Exceeded: free", field(head, "grpc-message"));
    assertEquals("1501", field(head, "grpc-retry-pushback-ms"));
    assertEquals("true", field(head, "x-envoy-ratelimited"));
    assertEquals("\"free\";q=100;w=60", field(head, "ratelimit-policy"));
    assertEquals("\"free\";r=3;t=2", field(head, "ratelimit"));
    assertEquals("100", field(head, "x-ratelimit-limit"));
    assertEquals("3", field(head, "x-ratelimit-remaining"));
    assertEquals("2", field(head, "x-ratelimit-reset"));
    assertEquals(
        List.of(
            "8 Quota Exceeded: free",
            "QuotaFailure policy:free, 100 per 60 s",
            "RetryInfo 1 500000001"),
        details(field(head, "grpc-status-details-bin")));
    assertEquals(12, head.size());
  }

  @Test
  void saysNothingOfLimitsThatClientsAreNotToldOf() throws Http2Exception {
    GrpcRefusalWriter plain = new GrpcRefusalWriter(false, false);
    Http2Headers head = head(plain, overLimit(POLICY, SECOND_NS), GrpcContentType.GRPC);
    assertEquals(7, head.size(), head.toString());
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void everyReasonHasItsStatusAndMessage(RefusalReason reason) throws Http2Exception {
    Http2Headers head = head(writer, verdict.refuse(reason), GrpcContentType.GRPC);
    assertEquals("200", head.status().toString());
    assertEquals(Integer.toString(reason.grpcStatus()), field(head, "grpc-status"));
    assertEquals(reason.title(), field(head, "grpc-message"));
    boolean ofQuota = reason.grpcStatus() == 8;
    assertEquals(ofQuota ? "-1" : null, field(head, "grpc-retry-pushback-ms"));
    assertEquals(ofQuota ? "true" : null, field(head, "x-envoy-ratelimited"));
    assertEquals(null, field(head, "grpc-status-details-bin"));
  }

  @ParameterizedTest
  @CsvSource({
    "OVER_LIMIT, 8",
    "NEVER_SATISFIABLE, 8",
    "DENIED, 8",
    "HEAD_TOO_LARGE, 8",
    "STORE_UNAVAILABLE, 14",
    "TOO_MANY_IN_FLIGHT, 14",
    "TOO_MANY_PARKED, 14",
    "SERVICE_OVERLOADED, 14",
    "UPSTREAM_BUSY, 14",
    "UPSTREAM_UNREACHABLE, 14",
    "UPSTREAM_CONNECTION_REFUSED, 14",
    "UPSTREAM_NAME_UNRESOLVED, 14",
    "UPSTREAM_TLS_FAILED, 14",
    "UPSTREAM_CLOSED, 14",
    "UPSTREAM_TIMEOUT, 14",
    "UPSTREAM_CONNECT_TIMEOUT, 14",
    "IDENTITY_MISSING, 16",
    "DEADLINE_EXCEEDED, 4"
  })
  void whatHappensHasTheStatusThatClientsActOn(RefusalReason reason, int status) {
    assertEquals(status, reason.grpcStatus());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1000000, 1",
    "1000001, 2",
    "59999999999, 60000",
    "60000000000, 60000",
    "60000000001, -1",
    "9223372036854775807, -1",
    "0, -1"
  })
  void pushesBackByTheWaitUnlessNoCallSitsItOut(long retryNs, String pushback)
      throws Http2Exception {
    Http2Headers head = head(writer, overLimit(POLICY, retryNs), GrpcContentType.GRPC);
    assertEquals(pushback, field(head, "grpc-retry-pushback-ms"));
    List<String> details = details(field(head, "grpc-status-details-bin"));
    if (retryNs == 0) {
      assertEquals(2, details.size());
    } else {
      String retry = "RetryInfo " + retryNs / SECOND_NS + ' ' + retryNs % SECOND_NS;
      assertEquals(retry, details.get(2));
    }
  }

  @Test
  void detailsAreWholeWhateverTheLengthOfTheName() throws Http2Exception {
    for (int length = 1; length < 300; length++) {
      QuotaPolicy policy = new QuotaPolicy("n".repeat(length), length, 1);
      Http2Headers head = head(writer, overLimit(policy, length * 7L), GrpcContentType.GRPC);
      assertEquals(
          List.of(
              "8 Quota Exceeded: " + policy.name(),
              "QuotaFailure policy:" + policy.name() + ", " + length + " per 1 s",
              "RetryInfo 0 " + length * 7),
          details(field(head, "grpc-status-details-bin")));
    }
    head(writer, overLimit(LARGEST, Long.MAX_VALUE), GrpcContentType.GRPC);
  }

  @Test
  void retryInfoIsSaidWithoutAPolicyToo() throws Http2Exception {
    verdict.refuse(RefusalReason.STORE_UNAVAILABLE, null, 0, 0, 0, SECOND_NS);
    Http2Headers head = head(writer, verdict, GrpcContentType.GRPC);
    assertEquals(
        List.of("14 Rate Limit Store Unavailable", "RetryInfo 1 0"),
        details(field(head, "grpc-status-details-bin")));
    assertEquals(null, field(head, "grpc-retry-pushback-ms"));
  }

  @Test
  void trailersBehindABegunResponseHaveTheStatusAndNoLimits() throws Http2Exception {
    writer.describe(overLimit(POLICY, SECOND_NS));
    writer.writeTrailers(out);
    Http2Headers trailers = new DefaultHttp2HeadersDecoder(false, 1 << 20).decodeHeaders(1, out);
    assertEquals("8", field(trailers, "grpc-status"));
    assertEquals("1000", field(trailers, "grpc-retry-pushback-ms"));
    assertEquals(3, details(field(trailers, "grpc-status-details-bin")).size());
    assertEquals(4, trailers.size(), trailers.toString());
  }

  @Test
  void aBrowserReadsTheStatusInTheBody() throws Http2Exception {
    Http2Headers head = head(writer, overLimit(POLICY, SECOND_NS), GrpcContentType.WEB);
    assertEquals("application/grpc-web", field(head, "content-type"));
    assertEquals("8", field(head, "grpc-status"));
    ByteBuf body = writer.body(GrpcContentType.WEB);
    assertEquals((byte) 0x80, body.readByte());
    assertEquals(body.readableBytes() - 4, body.readInt());
    String details = field(head, "grpc-status-details-bin");
    assertEquals(
        "grpc-status: 8\r\ngrpc-message: Quota Exceeded: free\r\ngrpc-status-details-bin: "
            + details
            + "\r\ngrpc-retry-pushback-ms: 1000\r\n",
        body.toString(StandardCharsets.US_ASCII));
  }

  @Test
  void theTextFormIsThatInBase64() {
    for (int length = 1; length < 9; length++) {
      writer.describe(overLimit(new QuotaPolicy("n".repeat(length), 1, 1), SECOND_NS));
      byte[] plain = new byte[writer.body(GrpcContentType.WEB).readableBytes()];
      writer.body(GrpcContentType.WEB).getBytes(0, plain);
      ByteBuf text = writer.body(GrpcContentType.WEB_TEXT);
      assertEquals(
          Base64.getEncoder().encodeToString(plain), text.toString(StandardCharsets.US_ASCII));
    }
  }

  @Test
  void http1HasTheSameFieldsAsLines() {
    writer.describe(overLimit(POLICY, SECOND_NS));
    writer.writeLines(out, GrpcContentType.WEB_TEXT);
    String lines = out.toString(StandardCharsets.US_ASCII);
    assertTrue(
        lines.startsWith(
            "content-type: application/grpc-web-text\r\ngrpc-status: 8\r\n"
                + "grpc-message: Quota Exceeded: free\r\ngrpc-status-details-bin: "),
        lines);
    assertTrue(
        lines.endsWith(
            "\r\ngrpc-retry-pushback-ms: 1000\r\nx-envoy-ratelimited: true\r\n"
                + "ratelimit-policy: \"free\";q=100;w=60\r\nratelimit: \"free\";r=3;t=1\r\n"
                + "x-ratelimit-limit: 100\r\nx-ratelimit-remaining: 3\r\nx-ratelimit-reset: 1\r\n"),
        lines);
    assertFalse(lines.contains(":status"), lines);
  }

  @Test
  void messagesAreEncodedAsTheirFieldWants() {
    assertEquals("a b~%25%C3%A9%0A%7F", GrpcMessage.percentEncoded("a b~%\u00e9\n\u007f"));
  }

  @Test
  void policiesThatAreGoneDoNotPileUp() throws Http2Exception {
    for (int i = 0; i < 3_000; i++) {
      QuotaPolicy policy = new QuotaPolicy("free", i, 60);
      assertNotSame(POLICY, policy);
      Http2Headers head = head(writer, overLimit(policy, SECOND_NS), GrpcContentType.GRPC);
      assertEquals("\"free\";q=" + i + ";w=60", field(head, "ratelimit-policy"));
    }
  }

  @Test
  void aRefusedCallAllocatesNothing() {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final ByteBuf into = Unpooled.buffer(4096); // a direct one is watched for leaks here
    refuse(into, 20_000);
    final long before = threads.getCurrentThreadAllocatedBytes();
    refuse(into, 20_000);
    final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(allocated < 4_096, allocated + " bytes");
  }

  private void refuse(ByteBuf into, int times) {
    for (int i = 0; i < times; i++) {
      writer.describe(overLimit(POLICY, i * 1_000_003L));
      into.clear();
      writer.writeHead(into, GrpcContentType.GRPC);
      writer.writeTrailers(into);
      writer.writeLines(into, GrpcContentType.WEB);
      into.writeBytes(writer.body(GrpcContentType.WEB_TEXT));
    }
  }
}
