package dev.weir.proxy.http2.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseHeadTest {
  private final FieldBlock block = new FieldBlock(32 * 1024, 100, 32 * 1024);
  private final ResponseHead head = new ResponseHead(100);

  @Test
  void readsStatusLengthAndFields() {
    assertTrue(read(false, ":status", "200", "content-length", "6", "x-ratelimit-remaining", "7"));
    assertEquals(200, head.status());
    assertEquals(6, head.contentLength());
    assertEquals(7, head.rateLimitRemaining());
    assertTrue(head.hasBody());
    assertEquals(2, head.fields().fieldCount());
  }

  @Test
  void forbidsToKeepWhatTheServiceForbids() {
    ByteBuf sent = Unpooled.buffer();
    FieldEncoder encoder = new FieldEncoder();
    encoder.status(sent, 200);
    UnsafeBuffer field = new UnsafeBuffer("x-a1".getBytes(StandardCharsets.US_ASCII));
    encoder.field(sent, field, 0, 3, 3, 1, true);
    assertEquals(
        FieldDecoder.Outcome.DECODED,
        new FieldDecoder().decode(sent, 0, sent.readableBytes(), block));
    assertTrue(head.readHead(block, false, false));
    ByteBuf passed = Unpooled.buffer();
    new ResponseHeadWriter().write(head, true, passed);
    FieldBlock told = new FieldBlock(32 * 1024, 100, 32 * 1024);
    assertEquals(
        FieldDecoder.Outcome.DECODED,
        new FieldDecoder().decode(passed, 0, passed.readableBytes(), told));
    assertEquals("x-a", told.text(told.nameOffset(1), told.nameLength(1)));
    assertTrue(told.neverIndexed(1));
  }

  @ParameterizedTest
  @CsvSource({
    "200, false, false, true",
    "200, false, true, false",
    "200, true, false, false",
    "204, false, false, false",
    "304, false, false, false",
    "404, false, false, true",
  })
  void knowsWhetherContentFollows(int status, boolean toHead, boolean ended, boolean expected) {
    decode(":status", "" + status);
    assertTrue(head.readHead(block, toHead, ended));
    assertEquals(expected, head.hasBody());
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    ":status, 99",
    ":status, 600",
    ":status, 20",
    ":status, 2000",
    ":status, 2x0",
    ":status, 101",
    ":path, /",
  })
  void readsNoStatusThatIsNone(String name, String value) {
    if (name.isEmpty()) {
      assertFalse(read(false, "x-a", "1"));
    } else {
      assertFalse(read(false, name, value));
    }
  }

  @Test
  void readsNoHeadWithPseudoFieldsOfRequests() {
    assertFalse(read(false, ":status", "200", ":path", "/"));
  }

  @ParameterizedTest
  @CsvSource({"5 5", "-1", "+5", "5.0", "0x5", "1234567890123456789", "''"})
  void readsNoLengthThatIsNone(String length) {
    assertFalse(read(false, ":status", "200", "content-length", length));
  }

  @Test
  void readsNoSecondLength() {
    assertFalse(read(false, ":status", "200", "content-length", "5", "content-length", "5"));
  }

  @Test
  void takesNoEndForTheBodyThatWasSaid() {
    decode(":status", "200", "content-length", "5");
    assertFalse(head.readHead(block, false, true));
    assertTrue(head.readHead(block, true, true));
    decode(":status", "304", "content-length", "5");
    assertTrue(head.readHead(block, false, true));
  }

  @Test
  void takesNoInformationalHeadForTheLast() {
    decode(":status", "103");
    assertTrue(head.readHead(block, false, false));
    assertTrue(head.informational());
    assertFalse(head.readHead(block, false, true));
  }

  @ParameterizedTest
  @CsvSource({"connection, close", "transfer-encoding, chunked", "upgrade, h2c", "X-Upper, 1"})
  void readsNoFieldsOfAnotherProtocol(String name, String value) {
    assertFalse(read(false, ":status", "200", name, value));
  }

  @Test
  void passesNoFieldThatIsForTheProxy() {
    assertTrue(read(false, ":status", "407", "proxy-authenticate", "Basic", "x-a", "1"));
    assertTrue(head.fields().omits(0));
    assertFalse(head.fields().omits(1));
  }

  @Test
  void readsTrailersWithoutThoseThatMayNotTrail() {
    decode("grpc-status", "0", "content-length", "7", "authorization", "x", "x-sum", "");
    RequestView trailers = head.readTrailers(block);
    assertEquals(2, trailers.fieldCount());
    assertEquals("grpc-status", trailers.text(trailers.nameOffset(0), trailers.nameLength(0)));
    assertEquals("x-sum", trailers.text(trailers.nameOffset(1), trailers.nameLength(1)));
  }

  @Test
  void readsNoTrailersWithPseudoFields() {
    decode(":status", "200");
    assertNull(head.readTrailers(block));
  }

  private boolean read(boolean ended, String... fields) {
    decode(fields);
    return head.readHead(block, false, ended);
  }

  private void decode(String... fields) {
    HpackEncoder encoder = new HpackEncoder();
    for (int i = 0; i < fields.length; i += 2) {
      encoder.add(fields[i], fields[i + 1]);
    }
    byte[] bytes = encoder.bytes();
    assertEquals(
        FieldDecoder.Outcome.DECODED,
        new FieldDecoder().decode(Unpooled.wrappedBuffer(bytes), 0, bytes.length, block));
  }
}
