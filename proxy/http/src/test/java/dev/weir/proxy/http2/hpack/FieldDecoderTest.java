package dev.weir.proxy.http2.hpack;

import static dev.weir.proxy.http2.hpack.FieldDecoder.Outcome.DECODED;
import static dev.weir.proxy.http2.hpack.FieldDecoder.Outcome.EXCESSIVE;
import static dev.weir.proxy.http2.hpack.FieldDecoder.Outcome.MALFORMED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldDecoderTest {
  private static final String[] NAMES = {
    ":method",
    ":path",
    ":scheme",
    ":authority",
    "te",
    "grpc-timeout",
    "user-agent",
    "x-trace",
    "cookie",
    "content-type",
    "x-envoy-retries",
    "a",
    "authorization",
    "x"
  };

  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock block = Fields.block();

  private FieldDecoder.Outcome decode(String hex) {
    return Fields.decode(
        decoder, Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))), block);
  }

  /** RFC 7541, appendix C.4: three requests, Huffman coded, of one connection. */
  @Test
  void decodesTheExamplesOfTheRfc() {
    assertEquals(DECODED, decode("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"));
    assertEquals(
        List.of(":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"),
        Fields.of(block));
    assertEquals(DECODED, decode("8286 84be 5886 a8eb 1064 9cbf"));
    assertEquals("cache-control: no-cache", Fields.of(block).get(4));
    assertEquals(":authority: www.example.com", Fields.of(block).get(3));
    assertEquals(DECODED, decode("8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"));
    assertEquals(
        List.of(
            ":method: GET",
            ":scheme: https",
            ":path: /index.html",
            ":authority: www.example.com",
            "custom-key: custom-value"),
        Fields.of(block));
    assertEquals(
        ":method".length()
            + "GET".length()
            + ":schemehttps:path/index.html:authoritywww.example.comcustom-keycustom-value".length()
            + 5 * 32,
        block.listBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80", // index 0
        "be", // the first dynamic entry of none
        "7f 80 80 80 80 01 00", // a number of five bytes more
        "ff ff ff ff ff 0f", // as large as 32 bits
        "ff", // a number that is cut off
        "82 20", // a size update behind a field
        "3f e2 1f", // of 4,097 bytes
        "40", // no name
        "40 01", // less of a name than said
        "40 01 61", // no value
        "40 01 61 02 62", // less of a value than said
        "40 01 61 84 ff ff ff ff", // EOS
        "40 01 61 81 fe", // padded with a zero
        "40 01 61 82 1f ff", // padded with more than 7 bits
        "40 01 61 81 ff", // nothing but 8 bits of padding
        "0f af 80 80 80 80 00", // a literal's index, too long
      })
  void endsTheConnectionForABlockThatCannotBeDecoded(String hex) {
    assertEquals(MALFORMED, decode(hex));
  }

  @ParameterizedTest
  @CsvSource({
    "3fe11f 82, 1", // 4,096 bytes
    "20 3fe11f 82, 1", // down and up again
    "40 01 61 80, 1", // a string of no bits
    "7f 80 80 80 00 00, 0", // 63, in four bytes more: past the table
  })
  void takesWhatIsAtItsBound(String hex, int fields) {
    assertEquals(fields == 0 ? MALFORMED : DECODED, decode(hex));
    assertEquals(fields, block.count());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-upper: 1",
        "x-upperZ: 1",
        "with space: 1",
        ": 1",
        "a:b: 1",
        "x\r\ny: 1",
        "connection: close",
        "keep-alive: 1",
        "proxy-connection: 1",
        "transfer-encoding: chunked",
        "upgrade: h2c",
        "http2-settings: x",
        "te: gzip",
        "te: trailers, gzip",
        ":unknown: 1",
        ":path: ",
        "x: a\rb",
        "x: a\nb",
        "x: a\0b",
        "x: \u007f",
        "x:  a",
        "x: a\t",
      })
  void marksAFieldThatNoMessageMayHaveAlsoWhenItIsIndexedLater(String line) {
    final int colon = line.indexOf(": ");
    final ByteBuf first = Unpooled.buffer();
    first.writeByte(0x82).writeByte(0x40).writeByte(colon);
    first.writeBytes(line.substring(0, colon).getBytes(StandardCharsets.ISO_8859_1));
    final byte[] value = line.substring(colon + 2).getBytes(StandardCharsets.ISO_8859_1);
    first.writeByte(value.length).writeBytes(value);
    assertEquals(DECODED, Fields.decode(decoder, first, block));
    if (line.equals(":path: ")) {
      assertFalse(block.malformed()); // that is for who knows what message it is
      return;
    }
    assertTrue(block.malformed());
    assertEquals(DECODED, decode("82"));
    assertFalse(block.malformed());
    assertEquals(DECODED, decode("be"));
    assertTrue(block.malformed());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "82 82", // twice
        "82 84 90 84", // a path behind a field
        "90 82", // a method behind a field
      })
  void marksPseudoFieldsThatAreNotOnceAndFirst(String hex) {
    assertEquals(DECODED, decode(hex));
    assertTrue(block.malformed());
  }

  @Test
  void passesBytesAboveAsciiAndATabWithin() {
    assertEquals(DECODED, decode("00 01 78 03 ff 09 80"));
    assertFalse(block.malformed());
    assertEquals("x: \u00ff\t\u0080", Fields.of(block).get(0));
  }

  @Test
  void knowsNamesHoweverTheyCome() {
    assertEquals(
        DECODED, decode("40 0c 677270632d74696d656f7574 02 3153 be 00 08 782d656e766f792d 00"));
    assertEquals(FieldKind.GRPC_TIMEOUT, block.kind(0));
    assertEquals(FieldKind.GRPC_TIMEOUT, block.kind(1));
    assertEquals(FieldKind.X_ENVOY, block.kind(2));
    assertEquals(DECODED, decode("00 09 782d656e766f792d61 00 1001610162"));
    assertEquals(FieldKind.X_ENVOY, block.kind(0));
    assertTrue(block.neverIndexed(1));
    assertFalse(block.neverIndexed(0));
  }

  @Test
  void decodesOnWhatIsTooLargeAndKeepsTheTable() {
    final ByteBuf large = Unpooled.buffer();
    final byte[] value = new byte[4000];
    Arrays.fill(value, (byte) 'v');
    for (int i = 0; i < 8; i++) {
      large.writeBytes(new byte[] {0x40, 1, (byte) ('a' + i), 0x7f, (byte) 0xa1, 0x1e});
      large.writeBytes(value);
    }
    large.writeBytes(new byte[] {0x40, 1, 'z', 1, '1'});
    assertEquals(DECODED, Fields.decode(decoder, large, block));
    assertFalse(block.tooLarge());
    assertEquals(9, block.count());
    final ByteBuf many = Unpooled.buffer();
    for (int i = 0; i < 150; i++) {
      many.writeBytes(new byte[] {0, 1, 'a', 1, 'b'});
    }
    many.writeBytes(new byte[] {0x40, 1, 'y', 1, '2'});
    assertEquals(DECODED, Fields.decode(decoder, many, block));
    assertTrue(block.tooLarge());
    assertEquals(100, block.count());
    assertEquals(DECODED, decode("bf be"));
    assertEquals(List.of("z: 1", "y: 2"), Fields.of(block));
  }

  @Test
  void endsTheConnectionForTwiceOfWhatABlockMayHave() {
    final ByteBuf many = Unpooled.buffer();
    for (int i = 0; i < 201; i++) {
      many.writeBytes(new byte[] {0, 1, 'a', 1, 'b'});
    }
    assertEquals(EXCESSIVE, Fields.decode(decoder, many, block));
    final ByteBuf bomb = Unpooled.buffer();
    bomb.writeBytes(new byte[] {0x40, 1, 'a', 0x7f, (byte) 0xa1, 0x1e}).writeZero(4000);
    for (int i = 0; i < 16; i++) {
      bomb.writeByte(0xbe);
    }
    final FieldDecoder other = new FieldDecoder();
    assertEquals(EXCESSIVE, Fields.decode(other, bomb, block));
  }

  /** Tables from nothing to 4,096 bytes that change in mid-run, and entries of every size. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void decodesWhatNettyEncodes(long seed) throws Http2Exception {
    final Random random = new Random(seed);
    final DefaultHttp2HeadersEncoder encoder =
        new DefaultHttp2HeadersEncoder((name, value) -> random.nextInt(9) == 0, true);
    for (int i = 0; i < 1_000; i++) {
      if (random.nextInt(20) == 0) {
        encoder.maxHeaderTableSize(random.nextInt(3) == 0 ? 0 : random.nextInt(4_097));
      }
      final List<String> sent = new ArrayList<>();
      final Http2Headers headers = new DefaultHttp2Headers(false, 16) {};
      for (int field = random.nextInt(12); field >= 0; field--) {
        final String name = NAMES[random.nextInt(NAMES.length)];
        final String value = value(random);
        headers.add(name, value);
      }
      for (var entry : headers) {
        sent.add(entry.getKey() + ": " + entry.getValue());
      }
      final ByteBuf encoded = Unpooled.buffer();
      encoder.encodeHeaders(1, headers, encoded);
      assertEquals(DECODED, Fields.decode(decoder, encoded, block));
      if (!block.tooLarge()) {
        assertEquals(sent, Fields.of(block));
      }
    }
    assertTrue(decoder.heapBytes() <= 8 * 1024 + 2 * 1024, decoder.heapBytes() + " bytes");
  }

  /** A field that refers to an entry which the same block pushes out of the table. */
  @Test
  void fieldsStayThatTheirOwnBlockEvicts() {
    final ByteBuf in = Unpooled.buffer();
    in.writeBytes(new byte[] {0x40, 1, 'a', 2, 'a', '1', (byte) 0xbe});
    final byte[] large = new byte[4_096 - 32 - 1];
    Arrays.fill(large, (byte) 'v');
    in.writeBytes(new byte[] {0x40, 1, 'b', 0x7f, (byte) 0xe0, 0x1e}).writeBytes(large);
    in.writeBytes(new byte[] {0x7e, 1, '2'}); // named by the entry that it pushes out
    in.writeByte(0xbe);
    assertEquals(DECODED, Fields.decode(decoder, in, block));
    assertEquals(
        List.of("a: a1", "a: a1", "b: " + "v".repeat(large.length), "b: 2", "b: 2"),
        Fields.of(block));
    assertEquals(DECODED, decode("be"));
    assertEquals(MALFORMED, decode("bf"));
  }

  /** Bytes that are anything: ours and Netty's decoder take the same, and see the same fields. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithNettyOnAnyBytes(long seed) throws Http2Exception {
    final Random random = new Random(seed);
    int taken = 0;
    for (int round = 0; round < 3_000; round++) {
      final DefaultHttp2HeadersDecoder netty = new DefaultHttp2HeadersDecoder(false, 1 << 16);
      final FieldDecoder ours = new FieldDecoder();
      for (int blocks = 0; blocks < 3; blocks++) {
        final ByteBuf in = anyBlock(random);
        List<String> expected = null;
        try {
          expected = new ArrayList<>();
          for (var field : netty.decodeHeaders(1, in.duplicate())) {
            expected.add(field.getKey() + ": " + field.getValue());
          }
        } catch (Http2Exception e) {
          expected = null;
        }
        final String hex = ByteBufUtil.hexDump(in);
        final FieldDecoder.Outcome outcome = Fields.decode(ours, in, block);
        assertEquals(expected == null, outcome != DECODED, hex);
        if (expected == null) {
          break;
        }
        taken++;
        expected.sort(null);
        final List<String> fields = Fields.of(block);
        fields.sort(null);
        assertEquals(expected, fields, hex);
      }
    }
    assertTrue(taken > 300, taken + " blocks were taken");
  }

  private static ByteBuf anyBlock(Random random) {
    final ByteBuf in = Unpooled.buffer();
    for (int i = random.nextInt(5); i >= 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> in.writeByte(random.nextInt(256));
        case 1, 2 -> in.writeByte(0x80 | 1 + random.nextInt(66));
        case 3 -> in.writeByte(0x20 | random.nextInt(32));
        default -> {
          in.writeByte(random.nextBoolean() ? 0x40 : random.nextBoolean() ? 0 : 0x10);
          string(in, random);
          string(in, random);
        }
      }
    }
    return in;
  }

  private static void string(ByteBuf in, Random random) {
    final int length = 1 + random.nextInt(6);
    final boolean huffman = random.nextInt(3) == 0;
    in.writeByte((huffman ? 0x80 : 0) | length);
    for (int i = 0; i < length; i++) {
      in.writeByte(huffman ? random.nextInt(256) : 'a' + random.nextInt(26));
    }
  }

  private static String value(Random random) {
    final int length =
        switch (random.nextInt(10)) {
          case 0 -> 0;
          case 1 -> 4_064 - 1 + random.nextInt(3) - random.nextInt(12);
          case 2 -> random.nextInt(2_000);
          default -> random.nextInt(20);
        };
    final StringBuilder value = new StringBuilder();
    final int alphabet = random.nextInt(3);
    for (int i = 0; i < length; i++) {
      value.append(
          (char)
              switch (alphabet) {
                case 0 -> 'a' + random.nextInt(26);
                case 1 -> 0x20 + random.nextInt(0x5f);
                default -> random.nextInt(0x100);
              });
    }
    return value.toString();
  }

  @Test
  void aConnectionWithoutEntriesHasNoTable() {
    assertEquals(DECODED, decode("82 86 84 00 01 61 01 62"));
    assertEquals(0, decoder.heapBytes());
    assertEquals(DECODED, decode("40 01 61 01 62"));
    assertTrue(decoder.heapBytes() <= 1024 + 8 * 16, decoder.heapBytes() + " bytes");
  }
}
