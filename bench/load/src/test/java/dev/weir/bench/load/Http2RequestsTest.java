package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Body;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.rule.spec.BadValueException;
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
    FieldTable table = new FieldTable();
    table.encode(request);
    List<String> fields = new ArrayList<>();
    new DefaultHttp2HeadersDecoder(true, 1 << 20)
        .decodeHeaders(1, Unpooled.wrappedBuffer(table.block(), 0, table.blockBytes()))
        .forEach(field -> fields.add(field.getKey() + ": " + field.getValue()));
    return fields;
  }

  private static Http2Requests requests() {
    return new Http2Requests(new FieldLines(), 5_000_000_000L);
  }

  /** A request of HTTP/2. */
  static Request of(RequestSpec spec, String key) {
    return requests().request(spec, key);
  }

  /** A call of gRPC, given up after five seconds. */
  static Request call(RequestSpec spec, String key) {
    return requests().call(spec, key);
  }

  private static List<String> get(Field... fields) throws Http2Exception {
    return decoded(of(spec("GET", "/a?{key}", null, fields), KEY));
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
      List<String> fields = decoded(of(put, KEY));
      assertEquals(5, fields.size());
      assertEquals("content-length: 3", fields.get(4));
    }
    assertTrue(decoded(of(spec("PUT", "/", new byte[0]), KEY)).contains("content-length: 0"));
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
        call(spec("GET", "/a.B/C", new byte[] {1, 2, 3}, new Field("X-User-Id", "{key}")), KEY);
    assertEquals(
        List.of(
            ":method: POST",
            ":scheme: http",
            ":authority: localhost",
            ":path: /a.B/C",
            "te: trailers",
            "content-type: application/grpc",
            "x-user-id: u1",
            "grpc-timeout: 4999999u"),
        decoded(call));
    assertArrayEquals(new byte[] {0, 0, 0, 0, 3, 1, 2, 3}, call.body());
  }

  @Test
  void tellsTheServerTheDeadlineUnlessTheKindDoes() throws Http2Exception {
    long[] timeoutsNs = {1_000_000, 99_999_999, 100_000_000, 99_999_999_999L, 3_600_000_000_000L};
    String[] told = {"999999n", "99999998n", "99999u", "99999998u", "3599999m"};
    for (int i = 0; i < told.length; i++) {
      Http2Requests requests = new Http2Requests(new FieldLines(), timeoutsNs[i]);
      Request call = requests.call(spec("POST", "/a.B/C", null), KEY);
      assertTrue(decoded(call).contains("grpc-timeout: " + told[i]), told[i]);
    }
    Field own = new Field("grpc-timeout", "1S");
    List<String> fields = decoded(call(spec("POST", "/a.B/C", null, own), KEY));
    assertTrue(fields.contains("grpc-timeout: 1S"), fields.toString());
    assertEquals(7, fields.size());
  }

  @Test
  void givesEachRequestATraceOfItsOwn() throws Http2Exception {
    List<String> fields = get(new Field("TraceParent", "{trace}"));
    assertTrue(
        fields.get(4).matches("traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01"), fields.get(4));
    assertThrows(BadValueException.class, () -> new Field("traceparent", "00-{trace}"));
    assertThrows(BadValueException.class, () -> new Field("x", "{trace}"));
    RequestSpec traced = spec("GET", "/", null, new Field("traceparent", "{trace}"));
    assertThrows(BadValueException.class, () -> Http1Requests.of(traced, KEY));
  }

  @Test
  void makesACallOfNoBodyWithAnEmptyMessage() {
    assertArrayEquals(new byte[5], call(spec("POST", "/a.B/C", null), KEY).body());
  }

  @Test
  void refusesFieldsThatGrpcSets() {
    for (String name : List.of("Content-Type", "TE", "Content-Length")) {
      BadValueException e =
          assertThrows(
              BadValueException.class,
              () -> call(spec("POST", "/a.B/C", null, new Field(name, "x")), KEY));
      assertEquals(name + " (expected: a field that gRPC does not set itself)", e.getMessage());
    }
  }
}
