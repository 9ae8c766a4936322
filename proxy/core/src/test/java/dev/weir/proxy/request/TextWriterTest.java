package dev.weir.proxy.request;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextWriterTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 9, 10, 11, 99, 100, 1_000_000, Long.MAX_VALUE - 7, Long.MAX_VALUE})
  void appendsANumberInItsDigits(long value) {
    ByteBuf out = Unpooled.buffer(2).writeByte('='); // smaller than most: it has to grow
    TextWriter.writeDecimal(out, value);
    out.writeByte(';');
    assertEquals("=" + value + ";", out.toString(StandardCharsets.US_ASCII));
    assertEquals(Long.toString(value).length(), TextWriter.digits(value));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 15, 16, 0x0123_4567_89ab_cdefL, 0xa0b0_c0d0_0f0e_9a0aL, -1})
  void appendsAllHexadecimalDigits(long value) {
    ByteBuf out = Unpooled.buffer(2).writeByte('=');
    TextWriter.writeHexDigits(out, value);
    assertEquals(String.format("=%016x", value), out.toString(StandardCharsets.US_ASCII));
  }

  @Test
  void writesANumberOverWhatStandsBeforeAnIndex() {
    ByteBuf out = Unpooled.copiedBuffer("t=59;", StandardCharsets.US_ASCII);
    TextWriter.setDecimal(out, 4, 60);
    assertEquals("t=60;", out.toString(StandardCharsets.US_ASCII));
  }
}
