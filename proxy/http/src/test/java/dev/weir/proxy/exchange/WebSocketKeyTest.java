package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketKeyTest {
  /** The example of RFC 6455, section 1.3. */
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  private final WebSocketKey key = WebSocketKey.of(bytes(KEY), 0);

  @Test
  void isAnsweredAsTheStandardSays() {
    assertEquals(ACCEPT, new String(key.accept(), StandardCharsets.US_ASCII));
    assertTrue(key.isAnsweredBy(fields("Upgrade", "WebSocket", "Sec-WebSocket-Accept", ACCEPT)));
  }

  @Test
  void isAnotherEachTime() {
    String first = text(WebSocketKey.random());
    assertTrue(WebSocketKey.isValid(bytes(first), 0, first.length()), first);
    assertNotEquals(first, text(WebSocketKey.random()));
  }

  @Test
  void isNotAnsweredByAnotherAnswer() {
    String other = ACCEPT.replace('s', 'S');
    assertFalse(key.isAnsweredBy(fields("upgrade", "websocket", "sec-websocket-accept", other)));
    assertFalse(key.isAnsweredBy(fields("upgrade", "h2c", "sec-websocket-accept", ACCEPT)));
    assertFalse(key.isAnsweredBy(fields("upgrade", "websocket")));
    assertFalse(key.isAnsweredBy(fields("sec-websocket-accept", ACCEPT)));
    assertFalse(
        key.isAnsweredBy(
            fields(
                "upgrade",
                "websocket",
                "sec-websocket-accept",
                ACCEPT,
                "sec-websocket-accept",
                ACCEPT)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "dGhlIHNhbXBsZSBub25jZQ=",
        "dGhlIHNhbXBsZSBub25jZQ===",
        "dGhlIHNhbXBsZSBub25j====",
        "dGhlIHNhbXBsZSBub25jZQQ=",
        "dGhlIHNhbXBsZSBub25j ZQ=="
      })
  void isSixteenBytes(String text) {
    assertFalse(WebSocketKey.isValid(bytes(text), 0, text.length()));
  }

  private static String text(WebSocketKey key) {
    ByteBuf out = Unpooled.buffer();
    key.write(out);
    return out.toString(StandardCharsets.US_ASCII);
  }

  private static RequestView fields(String... namesAndValues) {
    String all = String.join("", namesAndValues);
    RequestView view = new RequestView(9).reset(bytes(all), 0, all.length(), Peer.LOOPBACK);
    int at = 0;
    for (int i = 0; i < namesAndValues.length; i += 2) {
      int nameLength = namesAndValues[i].length();
      int valueLength = namesAndValues[i + 1].length();
      view.addField(at, nameLength, at + nameLength, valueLength);
      at += nameLength + valueLength;
    }
    return view;
  }

  private static UnsafeBuffer bytes(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
  }
}
