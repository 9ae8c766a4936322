package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a request's head says, and what of it goes to the service. Texts have | for CRLF. */
class RequestHeadTest {
  private static final IpAddress ADDRESS = IpAddress.v4(0x0A00_0001);
  private static final Peer PEER = new Peer(ADDRESS, false);
  private static final Peer TRUSTED = new Peer(ADDRESS, true);
  private static final String VIA = "Via: 1.1 weir|";
  private static final String ID = "X-Request-Id: 1|";

  private final RequestHead head = new RequestHead(8, 64);
  private final RequestHeadWriter writer = new RequestHeadWriter("service:80");

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1|Host: a||, true",
    "GET / HTTP/1.1|Host: a|Connection: x||, true",
    "GET / HTTP/1.1|Host: a|Connection: close||, false",
    "'GET / HTTP/1.1|Host: a|connection: x, CLOSE||', false",
    "GET / HTTP/1.0||, false",
    "GET / HTTP/1.0|Connection: Keep-Alive||, true",
    "'GET / HTTP/1.0|Connection: keep-alive, close||', false"
  })
  void keepsAConnectionAsItsVersionSays(String text, boolean keeps) {
    scan(text, PEER);
    assertEquals(keeps, head.keepAlive());
  }

  @ParameterizedTest
  @CsvSource({
    "'', -1, false, false",
    "Content-Length: 0|, 0, false, false",
    "Content-Length: 5|, 5, false, true",
    "Content-Length: 05|, 5, false, true",
    "Content-Length: 999999999999999999|, 999999999999999999, false, true",
    "Transfer-Encoding: CHUNKED|, -1, true, true"
  })
  void saysWhereTheBodyEnds(String fields, long length, boolean chunked, boolean hasBody) {
    scan("POST / HTTP/1.1|Host: a|" + fields + '|', PEER);
    assertEquals(length, head.contentLength());
    assertEquals(chunked, head.chunked());
    assertEquals(hasBody, head.hasBody());
  }

  @ParameterizedTest
  @CsvSource({
    "'Connection: upgrade|Upgrade: websocket|', true",
    "'Connection: x, Upgrade|Upgrade: a, b|', true",
    "Upgrade: websocket|, false",
    "Connection: upgrade|, false",
    "Connection: upgrade|Upgrade:|, false",
    "Connection: upgrade|Upgrade: h2c|, false",
    "'Connection: upgrade|Upgrade: a, H2C|', false",
    "Connection: upgrade|Upgrade: a|Content-Length: 1|, false",
    "Connection: upgrade|Upgrade: a|Transfer-Encoding: chunked|, false"
  })
  void upgradesIfAskedInFullWithoutABodyAndNotToHttp2(String fields, boolean upgrades) {
    scan("GET / HTTP/1.1|Host: a|" + fields + '|', PEER);
    assertEquals(upgrades, head.upgrade());
  }

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1|Host: a:1||, /, -, a:1",
    "GET /a?b?c HTTP/1.1|Host: a||, /a, b?c, a",
    "GET /? HTTP/1.1|Host: a||, /, '', a",
    "OPTIONS * HTTP/1.1|Host: a||, *, -, a",
    "GET http://b:81/p?q HTTP/1.1|Host: a||, /p, q, b:81",
    "GET HTTPS://b?q HTTP/1.1|Host: a||, /, q, b",
    "GET http://b HTTP/1.1|Host: a||, /, -, b",
    "GET / HTTP/1.0||, /, -, ''"
  })
  void findsPathQueryAndAuthority(String text, String path, String query, String authority) {
    scan(text, PEER);
    RequestView view = head.view();
    assertEquals(path, view.text(view.pathOffset(), view.pathLength()));
    boolean hasQuery = view.queryLength() >= 0;
    assertEquals(query, hasQuery ? view.text(view.queryOffset(), view.queryLength()) : "-");
    assertEquals(authority, view.text(view.authorityOffset(), view.authorityLength()));
  }

  @Test
  void knowsHeadByItsCase() {
    scan("HEAD / HTTP/1.1|Host: a||", PEER);
    assertTrue(head.headMethod());
    scan("head / HTTP/1.1|Host: a||", PEER);
    assertFalse(head.headMethod());
  }

  @Test
  void takesAnExpectationOfHttp11Only() {
    scan("POST / HTTP/1.1|Host: a|Expect: 100-Continue||", PEER);
    assertTrue(head.expectContinue());
    scan("POST / HTTP/1.0|Expect: anything||", PEER);
    assertFalse(head.expectContinue());
  }

  @ParameterizedTest
  @CsvSource({
    "GET /  HTTP/1.1|, MALFORMED_REQUEST_LINE",
    "GET /\0 HTTP/1.1|, MALFORMED_TARGET",
    "GET http://u@a/ HTTP/1.1|, MALFORMED_TARGET",
    "CONNECT a:1 HTTP/1.1|, METHOD_NOT_SUPPORTED",
    "GET / HTTP/2.0|, VERSION_NOT_SUPPORTED",
    "GET / HTTP/1.1|Host: a/b|, MALFORMED_HOST",
    "GET / HTTP/1.1|Host: a|Host: a|, MALFORMED_HOST",
    "GET / HTTP/1.1|A: b||, MALFORMED_HOST",
    "GET / HTTP/1.1|Host: a|A : b|, MALFORMED_FIELD",
    "'GET / HTTP/1.1|Connection: a b(|', MALFORMED_FIELD",
    "GET / HTTP/1.1|Content-Length: +5|, MALFORMED_CONTENT_LENGTH",
    "GET / HTTP/1.1|Content-Length: 5|Content-Length: 5|, MALFORMED_CONTENT_LENGTH",
    "'GET / HTTP/1.1|Transfer-Encoding: gzip, chunked|', MALFORMED_TRANSFER_ENCODING",
    "GET / HTTP/1.1|Host: a|Content-Length: 0|Transfer-Encoding: chunked||, "
        + "MALFORMED_TRANSFER_ENCODING",
    "POST / HTTP/1.0|Transfer-Encoding: chunked||, MALFORMED_TRANSFER_ENCODING",
    "GET / HTTP/1.1|Expect: 200-ok|, EXPECTATION_FAILED"
  })
  void saysWhyItRefuses(String text, RefusalReason reason) {
    assertEquals(RequestHead.REFUSED, scanned(text, PEER));
    assertEquals(reason, head.fault());
  }

  @Test
  void takesAsManyFieldsAndAsLongATargetAsItMay() {
    String start = "GET /" + "x".repeat(63) + " HTTP/1.1|Host: a|";
    scan(start + "A: b|".repeat(7) + '|', PEER);
    assertEquals(RequestHead.REFUSED, scanned(start + "A: b|".repeat(8) + '|', PEER));
    assertEquals(RefusalReason.HEAD_TOO_LARGE, head.fault());
    assertEquals(RequestHead.REFUSED, scanned(start.replace("/", "/x") + '|', PEER));
    assertEquals(RefusalReason.TARGET_TOO_LONG, head.fault());
  }

  @Test
  void forwardsWhatAClientSaysOfItselfOnly() {
    assertEquals(
        "GET /a HTTP/1.1|Host: a|B: c|"
            + ID
            + "X-Forwarded-For: 1.2.3.4, 10.0.0.1|X-Forwarded-Proto: http|X-Forwarded-Host: a|"
            + VIA
            + '|',
        written(
            "GET /a HTTP/1.1|Host: a|X-Forwarded-For: 1.2.3.4|X-Forwarded-Proto: https|B: c|"
                + "X-Real-Ip: 1.2.3.4|x-envoy-a: b|"
                + ID
                + '|',
            PEER));
  }

  @Test
  void forwardsWhatATrustedProxySays() {
    String kept = "GET /a HTTP/1.1|Host: a|X-Forwarded-Proto: https|X-Real-Ip: 1.2.3.4|" + ID;
    assertEquals(
        kept + "X-Forwarded-For: 10.0.0.1|X-Forwarded-Host: a|" + VIA + '|',
        written(kept + '|', TRUSTED));
  }

  @Test
  void forwardsTheSchemeOfTheConnection() {
    String get = "GET /a HTTP/1.1|Host: a|X-Forwarded-Proto: http|" + ID + '|';
    assertTrue(written(get, PEER.secured(null)).contains("|X-Forwarded-Proto: https|"));
    assertTrue(written(get, TRUSTED.secured(null)).contains("|X-Forwarded-Proto: http|"));
  }

  @Test
  void forwardsNothingThatIsTheConnectionsOwn() {
    assertEquals(
        "GET / HTTP/1.1|Host: a|Authorization: b|"
            + ID
            + "X-Forwarded-For: 10.0.0.1|X-Forwarded-Proto: http|X-Forwarded-Host: a|"
            + VIA
            + '|',
        written(
            "GET / HTTP/1.1|Host: a|Connection: close, Mine, Authorization|Mine: x|"
                + "Authorization: b|TE: trailers|Keep-Alive: 5|"
                + ID
                + '|',
            PEER));
  }

  @Test
  void addsHostLengthAndIdWhereTheyAreMissing() {
    String written = written("POST http://b/ HTTP/1.1|Host: a|Content-Length: 007||", PEER);
    assertEquals(
        "POST / HTTP/1.1|Host: b|Content-Length: 7|X-Forwarded-For: 10.0.0.1|"
            + "X-Forwarded-Proto: http|X-Forwarded-Host: b|Via: 1.1 weir|X-Request-Id: ID||",
        written.replaceAll("X-Request-Id: [0-9a-f]{32}", "X-Request-Id: ID"));
    assertTrue(written("GET / HTTP/1.0||", PEER).startsWith("GET / HTTP/1.1|Host: service:80|"));
  }

  @Test
  void writesNoFieldOfAnotherProtocolThatFramesRoutesOrEndsHere() {
    String request = "GET / HTTP/1.1|Host: a|A: b|";
    String smuggled = "Content-Length: 5|Transfer-Encoding: chunked|Connection: A|TE: x|";
    assertEquals(
        foreign(request + "|", "").replaceAll("Id: .*", ""),
        foreign(request + smuggled + '|', smuggled).replaceAll("Id: .*", ""));
  }

  /** Writes a head whose fields were read by nobody that knows what they mean to HTTP/1.1. */
  private String foreign(String text, String unread) {
    RequestView view = new RequestView(8);
    byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    view.reset(new UnsafeBuffer(bytes), 0, bytes.length, PEER);
    view.method(0, 3);
    view.path(4, 1);
    view.authority(text.replace("|", "\r\n").indexOf("Host: a") + "Host: ".length(), 1);
    int at = text.replace("|", "\r\n").indexOf("A: b");
    for (String line : ("A: b|" + unread).split("\\|")) {
      view.addField(
          at, line.indexOf(':'), at + line.indexOf(' ') + 1, line.length() - line.indexOf(' ') - 1);
      at += line.length() + 2;
    }
    ByteBuf out = writer.writeForeign(new Foreign(view), null, ByteBufAllocator.DEFAULT);
    String written = out.toString(StandardCharsets.ISO_8859_1);
    out.release();
    return written;
  }

  private record Foreign(RequestView view) implements IncomingRequest {
    @Override
    public boolean hasBody() {
      return false;
    }

    @Override
    public long contentLength() {
      return -1;
    }

    @Override
    public boolean headMethod() {
      return false;
    }

    @Override
    public boolean expectContinue() {
      return false;
    }

    @Override
    public boolean upgrade() {
      return false;
    }
  }

  private void scan(String text, Peer peer) {
    assertEquals(text.replace("|", "\r\n").length(), scanned(text, peer), text);
  }

  private int scanned(String text, Peer peer) {
    byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    return head.scan(new UnsafeBuffer(bytes), 0, bytes.length, peer);
  }

  private String written(String text, Peer peer) {
    scan(text, peer);
    byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    head.source().set(in, 0, bytes.length);
    ByteBuf out = writer.write(head, ByteBufAllocator.DEFAULT);
    String written = out.toString(StandardCharsets.ISO_8859_1).replace("\r\n", "|");
    out.release();
    return written;
  }
}
