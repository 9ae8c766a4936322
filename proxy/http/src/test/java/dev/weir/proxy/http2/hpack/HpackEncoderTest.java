package dev.weir.proxy.http2.hpack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HpackEncoderTest {
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, 1 << 20);

  private Http2Headers decoded(HpackEncoder block) throws Http2Exception {
    return decoder.decodeHeaders(1, Unpooled.wrappedBuffer(block.bytes()));
  }

  @ParameterizedTest
  @CsvSource({
    ":method, POST, 0x83",
    ":path, /index.html, 0x85",
    ":status, 200, 0x88",
    ":status, 500, 0x8e",
    "'accept-encoding', 'gzip, deflate', 0x90"
  })
  void aFieldOfTheStaticTableIsOneByte(String name, String value, int encoded) {
    assertArrayEquals(new byte[] {(byte) encoded}, new HpackEncoder().add(name, value).bytes());
  }

  @ParameterizedTest
  @CsvSource({
    ":authority, 1",
    ":status, 8",
    "accept-charset, 15",
    "host, 38",
    "www-authenticate, 61"
  })
  void aNameOfTheStaticTableIsItsFirstIndex(String name, int index) throws Http2Exception {
    final byte[] block = new HpackEncoder().add(name, "418").bytes();
    assertEquals(index, index < 15 ? block[0] : 15 + block[1]);
    assertEquals("418", decoded(new HpackEncoder().add(name, "418")).get(name).toString());
  }

  @Test
  void stringsMayHaveAnyLengthAndBytesAbove127() throws Http2Exception {
    for (int length : new int[] {0, 1, 126, 127, 128, 254, 255, 256, 20_000}) {
      final String value = "é".repeat(length);
      assertEquals(value, decoded(new HpackEncoder().add("x", value)).get("x").toString());
    }
  }

  @Test
  void theSameBytesMeanTheSameAgainAndAgain() throws Http2Exception {
    final HpackEncoder block =
        new HpackEncoder().add(":method", "GET").add("grpc-timeout", "5S").add("te", "trailers");
    final Http2Headers first = decoded(block);
    assertEquals(first, decoded(block));
    assertEquals(3, first.size());
  }
}
