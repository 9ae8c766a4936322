package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Body;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.loop.TransportKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests of HTTP/1.1, and their order. */
class RequestsTest {
  private static final Target TARGET = new Target(false, "h", 8080, "h:8080");

  private record Text(String text) implements Body {
    @Override
    public boolean takesKey() {
      return text.contains("{key}");
    }

    @Override
    public byte[] bytes(String key) {
      return text.replace("{key}", key).getBytes(StandardCharsets.UTF_8);
    }
  }

  private static RequestSpec spec(String method, String path, Body body, Field... fields) {
    return new RequestSpec(TARGET, method, path, List.of(fields), body, 1);
  }

  private static String head(RequestSpec spec, String key) {
    return new String(Http1Requests.of(spec, key).head(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void aRequestHasItsHost() {
    assertEquals("GET /a HTTP/1.1\r\nHost: h:8080\r\n\r\n", head(spec("GET", "/a", null), ""));
    assertEquals(
        "GET /a HTTP/1.1\r\nhost: other\r\n\r\n",
        head(spec("GET", "/a", null, new Field("host", "other")), ""));
  }

  @Test
  void theKeyStandsWhereverItIsAskedFor() {
    final Request request =
        Http1Requests.of(
            spec("PUT", "/{key}?{key}", new Text("<{key}>"), new Field("k", "{key}-{key}")), "7");
    assertEquals(
        "PUT /7?7 HTTP/1.1\r\nHost: h:8080\r\nk: 7-7\r\nContent-Length: 3\r\n\r\n",
        new String(request.head(), StandardCharsets.ISO_8859_1));
    assertArrayEquals("<7>".getBytes(StandardCharsets.UTF_8), request.body());
  }

  @Test
  void aBodySaysHowLongItIsAndSoDoesNoneWhereOneIsExpected() {
    assertTrue(head(spec("GET", "/", new Text("")), "").contains("Content-Length: 0\r\n"));
    assertTrue(head(spec("POST", "/", null), "").contains("Content-Length: 0\r\n"));
    assertTrue(head(spec("PUT", "/", null), "").contains("Content-Length: 0\r\n"));
    assertTrue(head(spec("PATCH", "/", null), "").contains("Content-Length: 0\r\n"));
    assertFalse(head(spec("DELETE", "/", null), "").contains("Content-Length"));
    assertEquals(
        "POST / HTTP/1.1\r\nHost: h:8080\r\ncontent-length: 9\r\n\r\n",
        head(spec("POST", "/", new Text("a"), new Field("content-length", "9")), ""));
  }

  @Test
  void anAnswerToHeadHasNoBody() {
    assertTrue(Http1Requests.of(spec("HEAD", "/", null), "").headMethod());
    assertFalse(Http1Requests.of(spec("GET", "/", null), "").headMethod());
  }

  @Test
  void thereIsOneRequestForEachKeyOrOneForAll() {
    final List<String> keys = List.of("a", "b");
    final Requests requests =
        new Requests(
            new ClientSettings(
                Protocol.HTTP1,
                1,
                1,
                ClientSettings.NO_END,
                1,
                TransportKind.NIO,
                1_000_000_000,
                TlsSettings.USUAL));
    assertEquals(1, requests.of(spec("GET", "/", null), keys).length);
    final Request[] two = requests.of(spec("GET", "/{key}", null), keys);
    assertEquals(2, two.length);
    assertTrue(new String(two[1].head(), StandardCharsets.US_ASCII).startsWith("GET /b "));
  }

  @Test
  void kindsComeByTheirWeightsAndNeverInRows() {
    final Request[][] kinds = new Request[3][];
    for (int i = 0; i < 3; i++) {
      kinds[i] = new Request[] {new Request(new byte[] {(byte) i}, Request.NO_BODY, false)};
    }
    final RequestMix mix = new RequestMix(kinds, new double[] {5, 3, 2}, () -> 0);
    final StringBuilder order = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      order.append((char) ('a' + mix.next().head()[0]));
    }
    assertEquals(10, order.chars().filter(c -> c == 'a').count());
    assertEquals(6, order.chars().filter(c -> c == 'b').count());
    assertEquals(4, order.chars().filter(c -> c == 'c').count());
    assertFalse(order.toString().contains("aaa"), order.toString());
    assertFalse(order.toString().contains("bb"), order.toString());
  }

  @Test
  void onlyKindsThatTakeAKeyAskForOne() {
    final Request plain = new Request(new byte[1], Request.NO_BODY, false);
    final Request[] keyed = {
      new Request(new byte[2], Request.NO_BODY, false),
      new Request(new byte[3], Request.NO_BODY, false)
    };
    final int[] asked = {0};
    final RequestMix mix =
        new RequestMix(new Request[][] {{plain}, keyed}, new double[] {1, 1}, () -> asked[0]++ % 2);
    final StringBuilder lengths = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      lengths.append(mix.next().head().length);
    }
    assertEquals("12131213", lengths.toString());
  }
}
