package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Body;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.rule.BadValueException;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class Http2RequestsTest {
  private static final String KEY = "u1";

  /** A kind of request to a server on this machine. */
  static RequestSpec spec(String method, String path, byte[] body, Field... fields) {
    final Target target = new Target(false, "127.0.0.1", 80, "localhost");
    return new RequestSpec(
        target, method, path, List.of(fields), body == null ? null : fixed(body), 1);
  }

  private static Body fixed(byte[] bytes) {
    return new Body() {
      @Override
      public boolean takesKey() {
        return false;
      }

      @Override
      public byte[] bytes(String key) {
        return bytes;
      }
    };
  }

  private static List<String> decoded(Request request) throws Http2Exception {
    List<String> fields = new ArrayList<>();
    new DefaultHttp2HeadersDecoder(true, 1 << 20)
        .decodeHeaders(1, Unpooled.wrappedBuffer(request.head()))
        .forEach(field -> fields.add(field.getKey() + ": " + field.getValue()));
    return fields;
  }

  private static List<String> get(Field... fields) throws Http2Exception {
    return decoded(Http2Requests.of(spec("GET", "/a?{key}", null, fields), KEY));
  }

  @Test
  void startsWithThePseudoFieldsAndNamesFieldsInLowerCase() throws Http2Exception {
    assertEquals(
        List.of(
            ":method: GET",
            ":scheme: http",
            ":authority: localhost",
            ":path: /a?u1",
            "x-user-id: id-u1",
            "accept-encoding: gzip, deflate",
            "user-agent: w"),
        get(
            new Field("X-User-Id", "id-{key}"),
            new Field("Accept-Encoding", "gzip, deflate"),
            new Field("User-Agent", "w")));
  }

  @Test
  void usesTheStaticTable() {
    assertArrayEquals(
        new byte[] {
          (byte) 0x82,
          (byte) 0x86,
          0x01,
          9,
          'l',
          'o',
          'c',
          'a',
          'l',
          'h',
          'o',
          's',
          't',
          (byte) 0x84
        },
        Http2Requests.of(spec("GET", "/", null), KEY).head());
  }

  @Test
  void carriesStringsOfAnyLengthAndBytesAbove127() throws Http2Exception {
    for (int length : new int[] {126, 127, 128, 254, 255, 256, 20_000}) {
      String value = "é".repeat(length);
      assertEquals("x: " + value, get(new Field("x", value)).get(4));
    }
  }

  @Test
  void saysHowLongABodyIs() throws Http2Exception {
    Field named = new Field("Content-Length", "3");
    for (RequestSpec put :
        List.of(spec("PUT", "/", new byte[3]), spec("PUT", "/", new byte[3], named))) {
      List<String> fields = decoded(Http2Requests.of(put, KEY));
      assertEquals(5, fields.size());
      assertEquals("content-length: 3", fields.get(4));
    }
    assertTrue(
        decoded(Http2Requests.of(spec("PUT", "/", new byte[0]), KEY))
            .contains("content-length: 0"));
  }

  @Test
  void sendsHostAsAuthority() throws Http2Exception {
    List<String> fields = get(new Field("Host", "{key}.other"));
    assertEquals(":authority: u1.other", fields.get(2));
    assertEquals(4, fields.size());
  }

  @Test
  void refusesFieldsThatHttp2DoesNotHave() {
    for (String name :
        List.of("Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade")) {
      BadValueException e = assertThrows(BadValueException.class, () -> get(new Field(name, "x")));
      assertEquals(name + " (expected: a field that HTTP/2 has)", e.getMessage());
    }
    assertThrows(BadValueException.class, () -> get(new Field("TE", "gzip")));
  }

  @Test
  void makesACallOfAMessage() throws Http2Exception {
    Request call =
        Http2Requests.call(
            spec("GET", "/a.B/C", new byte[] {1, 2, 3}, new Field("X-User-Id", "{key}")), KEY);
    assertEquals(
        List.of(
            ":method: POST",
            ":scheme: http",
            ":authority: localhost",
            ":path: /a.B/C",
            "te: trailers",
            "content-type: application/grpc",
            "x-user-id: u1"),
        decoded(call));
    assertArrayEquals(new byte[] {0, 0, 0, 0, 3, 1, 2, 3}, call.body());
  }

  @Test
  void makesACallOfNoBodyWithAnEmptyMessage() {
    assertArrayEquals(new byte[5], Http2Requests.call(spec("POST", "/a.B/C", null), KEY).body());
  }

  @Test
  void refusesFieldsThatGrpcSets() {
    for (String name : List.of("Content-Type", "TE", "Content-Length")) {
      BadValueException e =
          assertThrows(
              BadValueException.class,
              () -> Http2Requests.call(spec("POST", "/a.B/C", null, new Field(name, "x")), KEY));
      assertEquals(name + " (expected: a field that gRPC does not set itself)", e.getMessage());
    }
  }

  @Test
  void readsStatuses() {
    assertEquals(429, StatusText.http("429"));
    for (String none : new String[] {null, "", "20", "2000", "2x0", "-20"}) {
      assertEquals(0, StatusText.http(none));
    }
    assertEquals(0, StatusText.grpc("0"));
    assertEquals(16, StatusText.grpc("16"));
    for (String unknown : new String[] {null, "", "17", "-1", "008", "x"}) {
      assertEquals(StatusText.GRPC_UNKNOWN, StatusText.grpc(unknown));
    }
  }
}
