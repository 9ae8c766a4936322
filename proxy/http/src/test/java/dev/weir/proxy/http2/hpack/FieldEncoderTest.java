package dev.weir.proxy.http2.hpack;

import static dev.weir.proxy.http2.hpack.FieldDecoder.Outcome.DECODED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldEncoderTest {
  private final FieldEncoder encoder = new FieldEncoder();
  private final FieldDecoder decoder = new FieldDecoder();
  private final FieldBlock block = Fields.block();

  private List<String> decoded(ByteBuf out) {
    assertEquals(DECODED, Fields.decode(decoder, out, block));
    assertEquals(0, decoder.heapBytes(), "nothing enters the peer's table");
    return Fields.of(block);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 101, 199, 200, 204, 206, 304, 400, 404, 429, 500, 503, 999})
  void writesAnyStatus(int status) {
    final ByteBuf out = Unpooled.buffer();
    encoder.status(out, status);
    assertEquals(List.of(":status: " + status), decoded(out));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 126, 127, 128, 254, 255, 1000, 20_000})
  void writesValuesOfAnyLengthIntoHeapAndDirectMemory(int length) {
    final byte[] value = "v".repeat(length).getBytes(StandardCharsets.US_ASCII);
    for (ByteBuf out : List.of(Unpooled.buffer(), Unpooled.directBuffer(4))) {
      encoder.field(out, FieldKind.USER_AGENT, new UnsafeBuffer(value), 0, length, false);
      encoder.field(out, FieldKind.GRPC_MESSAGE, value);
      final List<String> fields = new ArrayList<>();
      if (length < 16_000) {
        fields.add("user-agent: " + "v".repeat(length));
        fields.add("grpc-message: " + "v".repeat(length));
        assertEquals(fields, decoded(out));
      } else {
        out.release();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 99, 100, 1234567890123456789L, Long.MAX_VALUE})
  void writesNumbers(long number) {
    final ByteBuf out = Unpooled.buffer(1);
    encoder.field(out, FieldKind.CONTENT_LENGTH, number);
    assertEquals(List.of("content-length: " + number), decoded(out));
  }

  @Test
  void writesNamesInLowerCaseAndSecretsNeverToBeIndexed() {
    final UnsafeBuffer from =
        new UnsafeBuffer("X-Some_THING[: value".getBytes(StandardCharsets.US_ASCII));
    final ByteBuf out = Unpooled.buffer();
    encoder.field(out, from, 0, 12, 15, 5, true);
    encoder.field(out, from, 0, 12, 15, 5, false);
    encoder.field(out, FieldKind.AUTHORIZATION, new byte[] {'a'});
    assertEquals(
        List.of("x-some_thing: value", "x-some_thing: value", "authorization: a"), decoded(out));
    assertTrue(block.neverIndexed(0));
    assertFalse(block.neverIndexed(1));
    assertTrue(block.neverIndexed(2));
  }

  @Test
  void writesWhatWasDecodedAsItCame() {
    final ByteBuf in = Unpooled.buffer();
    final UnsafeBuffer from = new UnsafeBuffer("x-ay".getBytes(StandardCharsets.US_ASCII));
    encoder.indexed(in, 2);
    encoder.field(in, from, 0, 3, 3, 1, true);
    encoder.field(in, FieldKind.GRPC_TIMEOUT, new byte[] {'1', 'S'});
    final List<String> fields = decoded(in);
    final ByteBuf out = Unpooled.buffer();
    for (int i = 0; i < block.count(); i++) {
      encoder.field(out, block, i);
    }
    assertEquals(fields, decoded(out));
    assertTrue(block.neverIndexed(1));
    assertFalse(block.neverIndexed(2));
  }
}
