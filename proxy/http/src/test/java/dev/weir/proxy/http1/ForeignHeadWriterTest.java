package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignHeadWriterTest {
  private final ForeignHeadWriter writer =
      new ForeignHeadWriter(new ForwardedFields(FieldWriter.NOTATION));

  @Test
  void writesWhatHttp1NeedsAroundTheFieldsThatCame() {
    String head = write(new Head("GET", "/a", "x-line", "1", "accept", "*/*").query("b=c"));
    assertTrue(
        head.matches(
            "GET /a\\?b=c HTTP/1.1\r\nHost: h.example\r\nx-line: 1\r\naccept: \\*/\\*\r\n"
                + "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\n"
                + "X-Forwarded-Host: h.example\r\nVia: 1.1 weir\r\n"
                + "X-Request-Id: [0-9a-f]{32}\r\n\r\n"),
        head);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, -1, false, ''",
    "GET, 0, false, 'Content-Length: 0'",
    "POST, -1, false, 'Content-Length: 0'",
    "PUT, -1, false, 'Content-Length: 0'",
    "PATCH, -1, false, 'Content-Length: 0'",
    "DELETE, -1, false, ''",
    "post, -1, false, ''",
    "POST, 5, true, 'Content-Length: 5'",
    "GET, 5, true, 'Content-Length: 5'",
    "POST, -1, true, 'Transfer-Encoding: chunked'",
  })
  void framesTheBodyByWhatIsKnownOfIt(
      String method, long length, boolean hasBody, String expected) {
    String head = write(new Head(method, "/").body(length, hasBody));
    String framing =
        head.lines()
            .filter(line -> line.startsWith("Content-Length") || line.startsWith("Transfer"))
            .reduce("", String::concat);
    assertEquals(expected, framing);
  }

  /** None of them is another protocol's to say: the writer is the last to look. */
  @Test
  void passesNoFieldThatFramesRoutesOrEndsHere() {
    String head =
        write(
            new Head(
                "GET",
                "/",
                "transfer-encoding",
                "chunked",
                "content-length",
                "7",
                "host",
                "evil",
                "connection",
                "close",
                "upgrade",
                "h2c",
                "keep-alive",
                "5",
                "content_length",
                "7",
                "x-kept",
                "1"));
    assertTrue(head.startsWith("GET / HTTP/1.1\r\nHost: h.example\r\nx-kept: 1\r\nX-F"), head);
  }

  @Test
  void leavesOutWhatWouldBeALineOfItsOwn() {
    String head = write(new Head("GET", "/", "x-a", "1\r\nx-b: 2", "x c", "3", "", "4", "x-d", ""));
    assertTrue(head.startsWith("GET / HTTP/1.1\r\nHost: h.example\r\nx-d: \r\nX-F"), head);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/a\r\nx: 1", "", "/a#b"})
  void writesNoTargetThatIsNone(String path) {
    assertThrows(IllegalStateException.class, () -> write(new Head("GET", path)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"G ET", "GET /x HTTP/1.1\r\nA:", ""})
  void writesNoMethodThatIsNone(String method) {
    assertThrows(IllegalStateException.class, () -> write(new Head(method, "/")));
  }

  @Test
  void joinsTheCrumbsOfCookiesOnce() {
    String head =
        write(new Head("GET", "/", "cookie", "a=1", "x-b", "2", "cookie", "c=3", "cookie", "d=4"));
    assertTrue(head.contains("\r\nCookie: a=1; c=3; d=4\r\nx-b: 2\r\n"), head);
    assertEquals(head.indexOf("ookie"), head.lastIndexOf("ookie"));
  }

  @Test
  void asksForTrailersWhereTheClientDoes() {
    assertTrue(
        write(new Head("POST", "/", "te", "trailers"))
            .contains("\r\nTE: trailers\r\nConnection: TE\r\n"));
    assertFalse(write(new Head("POST", "/", "te", "gzip")).contains("TE:"));
  }

  @Test
  void goesOnWithTheListOfThoseWhoAsked() {
    String head = write(new Head("GET", "/", "x-forwarded-for", "192.0.2.1"));
    assertTrue(head.contains("\r\nX-Forwarded-For: 192.0.2.1, 127.0.0.1\r\n"), head);
  }

  @Test
  void believesNobodyButTrustedPeers() {
    String[] claims = {"x-real-ip", "192.0.2.1", "x-forwarded-proto", "https", "x-request-id", "7"};
    String head = write(new Head("GET", "/", claims));
    assertFalse(head.contains("x-real-ip"), head);
    assertTrue(head.contains("\r\nX-Forwarded-Proto: http\r\n"), head);
    assertTrue(head.contains("\r\nx-request-id: 7\r\n"), head);
    String trusted = write(new Head("GET", "/", claims).from(new Peer(IpAddress.LOOPBACK, true)));
    assertTrue(trusted.contains("\r\nx-real-ip: 192.0.2.1\r\nx-forwarded-proto: https\r\n"));
    assertFalse(trusted.contains("X-Forwarded-Proto"), trusted);
    assertFalse(trusted.contains("X-Request-Id"), trusted);
  }

  @Test
  void saysHowTheClientSpeaks() {
    Peer secure = new Peer(IpAddress.LOOPBACK, false).secured(null);
    assertTrue(
        write(new Head("GET", "/").from(secure)).contains("\r\nX-Forwarded-Proto: https\r\n"));
  }

  private String write(Head head) {
    ByteBuf out = writer.write(head, null, UnpooledByteBufAllocator.DEFAULT);
    String text = out.toString(StandardCharsets.ISO_8859_1);
    out.release();
    return text;
  }

  /** A head of another protocol. */
  private static final class Head implements IncomingRequest {
    private static final String AUTHORITY = "h.example";

    private final String method;
    private final String path;
    private final String[] fields;
    private String query;
    private Peer peer = Peer.LOOPBACK;
    private long length = -1;
    private boolean hasBody;

    Head(String method, String path, String... fields) {
      this.method = method;
      this.path = path;
      this.fields = fields;
    }

    Head query(String text) {
      query = text;
      return this;
    }

    Head body(long bytes, boolean follows) {
      length = bytes;
      hasBody = follows;
      return this;
    }

    Head from(Peer other) {
      peer = other;
      return this;
    }

    @Override
    public RequestView view() {
      RequestView view = new RequestView(fields.length);
      String text = method + path + AUTHORITY + (query == null ? "" : query);
      int at = text.length();
      text += String.join("", fields);
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      view.reset(new UnsafeBuffer(bytes), 0, bytes.length, peer);
      view.method(0, method.length());
      view.path(method.length(), path.length());
      view.authority(method.length() + path.length(), AUTHORITY.length());
      if (query != null) {
        view.query(at - query.length(), query.length());
      }
      for (int i = 0; i < fields.length; i += 2) {
        int nameLength = fields[i].length();
        int valueLength = fields[i + 1].length();
        view.addField(at, nameLength, at + nameLength, valueLength);
        at += nameLength + valueLength;
      }
      return view;
    }

    @Override
    public boolean hasBody() {
      return hasBody;
    }

    @Override
    public long contentLength() {
      return length;
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
}
