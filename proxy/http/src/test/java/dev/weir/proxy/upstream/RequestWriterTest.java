package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestWriterTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final RequestWriter writer = new RequestWriter(channel);

  @Test
  void passesABodyThatIsFramedAlreadyAsItIs() {
    writer.head(bytes("head "), false);
    writer.body(bytes("3\r\nabc\r\n"), false);
    writer.body(bytes("0\r\n\r\n"), true);
    assertEquals("head 3\r\nabc\r\n0\r\n\r\n", written());
  }

  @Test
  void chunksContentAlone() {
    writer.head(bytes("head "), true);
    writer.body(bytes("a".repeat(16)), false);
    writer.body(bytes("bc"), true);
    assertEquals("head 10\r\n" + "a".repeat(16) + "\r\n2\r\nbc\r\n0\r\n\r\n", written());
  }

  /** A chunk of no bytes would be the last one. */
  @Test
  void writesNoChunkForNoBytes() {
    writer.head(bytes("head "), true);
    writer.body(Unpooled.EMPTY_BUFFER, false);
    assertEquals("head ", written());
    writer.body(Unpooled.EMPTY_BUFFER, true);
    assertEquals("0\r\n\r\n", written());
  }

  @Test
  void writesATunnelAsItIs() {
    writer.head(bytes("head "), true);
    writer.write(bytes("abc"));
    writer.write(Unpooled.EMPTY_BUFFER);
    assertEquals("head abc", written());
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  private String written() {
    channel.flush();
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      text.append(out.toString(StandardCharsets.ISO_8859_1));
      out.release();
    }
    return text.toString();
  }
}
