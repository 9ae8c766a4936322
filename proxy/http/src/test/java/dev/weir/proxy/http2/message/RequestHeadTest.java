package dev.weir.proxy.http2.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.http2.message.RequestHead.Outcome;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request's head says, and what no request may be, over encoded blocks. */
class RequestHeadTest {
  private static final Peer TRUSTED = new Peer(IpAddress.LOOPBACK, true);

  private final FieldBlock block = new FieldBlock(32 * 1024, 100, 32 * 1024);
  private final FieldDecoder decoder = new FieldDecoder();
  private final RequestHead head = new RequestHead(100, 256, true);

  /** The pseudo fields of a plain request, some of them with another value or left out. */
  private static List<String> request(String... fields) {
    List<String> all =
        new ArrayList<>(
            List.of(":method: GET", ":scheme: http", ":path: /a", ":authority: host.example"));
    for (String field : fields) {
      String name = field.substring(0, field.indexOf(": ", 1));
      boolean replaced = false;
      for (int i = 0; i < all.size() && name.startsWith(":") && !replaced; i++) {
        if (all.get(i).startsWith(name + ": ")) {
          all.set(i, field);
          replaced = true;
        }
      }
      if (!replaced) {
        all.add(field);
      }
    }
    all.removeIf(field -> field.endsWith(": <none>"));
    return all;
  }

  private Outcome read(List<String> fields, boolean endStream, Peer peer) {
    HpackEncoder encoder = new HpackEncoder();
    for (String field : fields) {
      int colon = field.indexOf(": ", 1);
      encoder.add(field.substring(0, colon), field.substring(colon + 2));
    }
    ByteBuf bytes = Unpooled.directBuffer().writeBytes(encoder.bytes());
    try {
      assertEquals(
          FieldDecoder.Outcome.DECODED, decoder.decode(bytes, 0, bytes.readableBytes(), block));
    } finally {
      bytes.release();
    }
    return head.read(block, endStream, peer);
  }

  private Outcome read(String... fields) {
    return read(request(fields), true, Peer.LOOPBACK);
  }

  private void assertRefused(RefusalReason reason, String... fields) {
    assertEquals(Outcome.REFUSED, read(fields));
    assertEquals(reason, head.refusal());
  }

  private static String path(RequestView view) {
    String path = view.text(view.pathOffset(), view.pathLength());
    return view.queryLength() < 0
        ? path
        : path + '?' + view.text(view.queryOffset(), view.queryLength());
  }

  private static String authority(RequestView view) {
    return view.text(view.authorityOffset(), view.authorityLength());
  }

  private String value(String name) {
    RequestView view = head.view();
    int field = view.findField(FieldName.of(name), 0);
    return field < 0 ? null : view.text(view.valueOffset(field), view.valueLength(field));
  }

  @ParameterizedTest
  @CsvSource({
    "application/grpc, 100m, 100000000",
    "application/grpc+proto, 5S, 5000000000",
    "application/grpc-web, 1n, 1",
    "application/grpc, 0n, 0",
    "application/grpc, 5s, 9223372036854775807",
    "application/grpc, '', 9223372036854775807",
    "application/json, 5S, 9223372036854775807"
  })
  void aCallOfGrpcSaysHowLongItWaits(String contentType, String timeout, long ns) {
    assertEquals(
        Outcome.READ,
        read(":method: POST", "content-type: " + contentType, "grpc-timeout: " + timeout));
    assertEquals(ns, head.timeoutNs());
  }

  @Test
  void aCallOfGrpcMayPause() {
    read(":method: POST", "content-type: application/grpc");
    assertEquals(GrpcContentType.GRPC, head.grpcType());
    assertTrue(head.mayPause());
    assertEquals(IncomingRequest.NO_TIMEOUT, head.timeoutNs());
    read(":method: POST", "content-type: application/grpc-web-text");
    assertEquals(GrpcContentType.WEB_TEXT, head.grpcType());
    assertFalse(head.mayPause());
    read(":method: POST");
    assertEquals(GrpcContentType.NONE, head.grpcType());
    assertFalse(head.mayPause());
  }

  @Test
  void readsPseudoFieldsAndFields() {
    assertEquals(
        Outcome.READ, read(":method: POST", ":path: /a/b?c=d", "x-user: 7", "content-length: 0"));
    RequestView view = head.view();
    assertEquals("POST", view.text(view.methodOffset(), view.methodLength()));
    assertEquals("/a/b?c=d", path(view));
    assertEquals("host.example", authority(view));
    assertEquals("7", value("x-user"));
    assertEquals(2, view.fieldCount());
    assertEquals(0, head.contentLength());
    assertFalse(head.hasBody());
    assertFalse(head.headMethod());
    assertFalse(head.upgrade());
  }

  @Test
  void knowsHeadAndABodyToCome() {
    assertEquals(
        Outcome.READ, read(request(":method: HEAD", "expect: 100-Continue"), false, Peer.LOOPBACK));
    assertTrue(head.headMethod());
    assertTrue(head.hasBody());
    assertTrue(head.expectContinue());
    assertEquals(-1, head.contentLength());
  }

  @Test
  void awaitsNoBodyThatHasEnded() {
    assertEquals(Outcome.READ, read("expect: 100-continue"));
    assertFalse(head.expectContinue());
  }

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/index.html, /index.html",
    "/a//b/./c/../d, /a/b/d",
    "/%7Euser?x=%2F//, /~user?x=%2F//",
    "/a?, /a?",
    "/%e4, /%E4",
  })
  void forwardsTheOneSpellingOfAPath(String sent, String expected) {
    assertEquals(Outcome.READ, read(":path: " + sent));
    assertEquals(expected, path(head.view()));
    assertEquals(Outcome.READ, read(":path: /index.html"));
    assertEquals("/index.html", path(head.view()), "the static table has been written to");
  }

  @Test
  void takesAnAsteriskWithOptionsOnly() {
    assertEquals(Outcome.READ, read(":method: OPTIONS", ":path: *"));
    assertEquals("*", path(head.view()));
    assertEquals(Outcome.MALFORMED, read(":path: *"));
  }

  @Test
  void readsTheAuthorityFromHost() {
    assertEquals(Outcome.READ, read(":authority: <none>", "host: other.example:81"));
    assertEquals("other.example:81", authority(head.view()));
    assertEquals(Outcome.READ, read("host: host.example"));
    assertEquals("host.example", authority(head.view()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host: other.example",
        "host: HOST.example",
        ":authority: user@host.example",
        ":authority: a b",
        ":authority: a/b",
        ":authority: a:x",
        ":authority: a,b",
        ":authority: <none>"
      })
  void refusesAHostThatIsNoneOrAnother(String field) {
    assertRefused(RefusalReason.MALFORMED_HOST, field);
  }

  @Test
  void refusesSeveralHosts() {
    assertRefused(RefusalReason.MALFORMED_HOST, "host: host.example", "host: host.example");
    assertRefused(
        RefusalReason.MALFORMED_HOST, ":authority: <none>", "host: a.example", "host: b.example");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":method: <none>",
        ":method: GE T",
        ":method: G\u00c4T",
        ":scheme: <none>",
        ":scheme: ftp",
        ":scheme: http://host.example/",
        ":path: <none>",
        ":path: a",
        ":path: http://host.example/",
        ":path: /a b",
        ":path: /a#b",
        ":path: /a?b#c",
        ":path: /a?b c",
        ":path: ?a",
        ":path: #",
        ":status: 200",
        ":protocol: websocket",
        ":other: 1",
        "content-length: +5",
        "content-length: -0",
        "content-length: 5,5",
        "content-length: 0x5",
        "content-length: 9223372036854775808",
        "content-length: 5",
        "connection: close",
        "keep-alive: 5",
        "proxy-connection: keep-alive",
        "transfer-encoding: chunked",
        "upgrade: websocket",
        "upgrade: h2c",
        "http2-settings: AAMAAABkAAQAAP__",
        "te: gzip",
        "x-Upper: 1",
        "x y: 1",
        "x-cr: a\rb",
        "x-lf: a\nb",
        "x-nul: a\u0000b",
        "x-split: a\r\nHost: b",
        "x-space:  a",
        "x-space: a "
      })
  void isNoRequest(String field) {
    assertEquals(Outcome.MALFORMED, read(field));
  }

  @Test
  void isNoRequestWithAPseudoFieldTwiceOrLate() {
    List<String> twice = request();
    twice.add(3, ":path: /b");
    assertEquals(Outcome.MALFORMED, read(twice, true, Peer.LOOPBACK));
    List<String> late = request(":authority: <none>", "host: host.example");
    late.add(":authority: host.example");
    assertEquals(Outcome.MALFORMED, read(late, true, Peer.LOOPBACK));
  }

  @Test
  void isNoRequestWithTwoLengths() {
    List<String> fields = request("content-length: 5", "content-length: 5");
    assertEquals(Outcome.MALFORMED, read(fields, false, Peer.LOOPBACK));
  }

  @Test
  void passesTeTrailersAndWordsBeyondAscii() {
    assertEquals(Outcome.READ, read("te: trailers", "x-name: \u00e4\u00ff"));
    assertEquals("\u00e4\u00ff", value("x-name"));
  }

  @Test
  void refusesWhatHttp1Refuses() {
    assertRefused(RefusalReason.METHOD_NOT_SUPPORTED, ":method: CONNECT");
    assertRefused(
        RefusalReason.METHOD_NOT_SUPPORTED, ":method: CONNECT", ":scheme: <none>", ":path: <none>");
    assertRefused(RefusalReason.PROTOCOL_NOT_SUPPORTED, ":method: CONNECT", ":protocol: ip");
    assertRefused(RefusalReason.AMBIGUOUS_PATH, ":path: /a%2Fb");
    assertRefused(RefusalReason.AMBIGUOUS_PATH, ":path: /a\\b");
    assertRefused(RefusalReason.MALFORMED_TARGET, ":path: /%zz");
    assertRefused(RefusalReason.MALFORMED_TARGET, ":path: /\u00e4");
    assertRefused(RefusalReason.MALFORMED_TARGET, ":path: /a?\u00e4");
    assertRefused(RefusalReason.TARGET_TOO_LONG, ":path: /" + "a".repeat(256));
    assertRefused(RefusalReason.EXPECTATION_FAILED, "expect: a miracle");
  }

  @Test
  void refusesAHeadThatIsTooLarge() {
    assertRefused(RefusalReason.HEAD_TOO_LARGE, "x-large: " + "a".repeat(33 * 1024));
    String[] many = new String[101];
    for (int i = 0; i < many.length; i++) {
      many[i] = "cookie: " + i + "=";
    }
    assertRefused(RefusalReason.HEAD_TOO_LARGE, many);
  }

  @Test
  void believesATrustedPeerOnly() {
    List<String> fields =
        request("x-real-ip: 1.2.3.4", "x-envoy-original-path: /b", "x-user: 7", "trailer: a");
    assertEquals(Outcome.READ, read(fields, true, Peer.LOOPBACK));
    assertEquals(null, value("x-real-ip"));
    assertEquals(null, value("x-envoy-original-path"));
    assertEquals(null, value("trailer"));
    assertEquals("7", value("x-user"));
    assertEquals(Outcome.READ, read(fields, true, TRUSTED));
    assertEquals("1.2.3.4", value("x-real-ip"));
    assertEquals("/b", value("x-envoy-original-path"));
  }
}
