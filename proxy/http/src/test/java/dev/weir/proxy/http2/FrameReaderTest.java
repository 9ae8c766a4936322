package dev.weir.proxy.http2;

import static dev.weir.proxy.http2.FrameBytes.frame;
import static dev.weir.proxy.http2.FrameBytes.header;
import static dev.weir.proxy.http2.FrameFlag.ACK;
import static dev.weir.proxy.http2.FrameFlag.END_HEADERS;
import static dev.weir.proxy.http2.FrameFlag.END_STREAM;
import static dev.weir.proxy.http2.FrameFlag.PADDED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameReaderTest {
  private static final int RESERVED = 1 << 31;
  private static final int MAX_BLOCK_BYTES = 40_000;

  private final FrameReader reader = new FrameReader(MAX_BLOCK_BYTES);
  private final FrameLog log = new FrameLog();

  @AfterEach
  void end() {
    reader.close();
  }

  /** Reads all there is; the error, or none. */
  private int read(ByteBuf in) {
    int error = ErrorCode.NO_ERROR;
    int before = -1;
    while (error == ErrorCode.NO_ERROR && before != in.readableBytes()) {
      before = in.readableBytes();
      error = reader.read(in, log);
    }
    return error;
  }

  private void assertTold(ByteBuf in, String... lines) {
    assertEquals(ErrorCode.NO_ERROR, read(in));
    assertEquals(List.of(lines), log.lines());
    assertEquals(0, in.readableBytes());
  }

  @Test
  void tellsWhatEachFrameSays() {
    assertTold(
        Unpooled.wrappedBuffer(
            frame(FrameType.SETTINGS, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0, 4, 0, 0, 0, 9),
            frame(FrameType.HEADERS, END_HEADERS, 1, 0x88),
            frame(FrameType.DATA, END_STREAM, 1, 1, 2),
            frame(FrameType.RST_STREAM, 0, 3, 0, 0, 0, 8),
            frame(FrameType.PING, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0),
            frame(FrameType.WINDOW_UPDATE, 0, 0, 0, 0, 0, 5),
            frame(FrameType.GOAWAY, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 'b', 'y', 'e')),
        "setting 3 4294967295",
        "setting 4 9",
        "settings",
        "headers 1 88",
        "data 1 0102 of 2 end",
        "reset 3 8",
        "ping 256",
        "window 0 5",
        "goaway 7 2");
  }

  @Test
  void leavesOutWhatNobodyNeedsToKnow() {
    assertTold(
        Unpooled.wrappedBuffer(
            frame(FrameType.SETTINGS, ACK, 0),
            frame(FrameType.PING, ACK, 0, new byte[8]),
            frame(FrameType.PRIORITY, 0, 5, 0, 0, 0, 3, 16),
            frame(0xbe, 0xff, 0, 1, 2, 3),
            frame(0xbe, 0xff, 9),
            frame(FrameType.RST_STREAM, 0xff, 1, 0, 0, 0, 0)),
        "reset 1 0");
  }

  @Test
  void tellsContentAsItArrivesAndTheEndWithItsLastByte() {
    final ByteBuf whole = frame(FrameType.DATA, END_STREAM, 1, 1, 2, 3);
    for (int bytes = 1; bytes < whole.readableBytes(); bytes++) {
      final FrameReader another = new FrameReader(MAX_BLOCK_BYTES);
      final FrameLog parts = new FrameLog();
      final ByteBuf first = whole.slice(0, bytes);
      another.read(first, parts);
      final int content = Math.max(0, bytes - FrameReader.HEADER_BYTES);
      assertEquals(
          bytes < FrameReader.HEADER_BYTES
              ? List.of()
              : List.of("data 1 " + "010203".substring(0, 2 * content) + " of " + content),
          parts.lines());
      final ByteBuf rest =
          whole.slice(first.readerIndex(), whole.readableBytes() - first.readerIndex());
      another.read(rest, parts);
      final String last = parts.lines().get(parts.lines().size() - 1);
      assertTrue(last.endsWith(" end"), last);
    }
  }

  @Test
  void countsPaddingAsCreditAndNotAsContent() {
    assertTold(
        Unpooled.wrappedBuffer(
            frame(FrameType.DATA, PADDED, 1, 2, 7, 0, 0),
            frame(FrameType.HEADERS, PADDED | END_HEADERS, 1, 1, 0x88, 0),
            frame(FrameType.DATA, PADDED | END_STREAM, 1, 1, 0)),
        "data 1 07 of 4",
        "headers 1 88",
        "data 1  of 2 end");
  }

  @Test
  void gathersAFieldBlockOfSeveralFrames() {
    assertTold(
        Unpooled.wrappedBuffer(
            frame(FrameType.HEADERS, END_STREAM, 1, 1, 2),
            frame(FrameType.CONTINUATION, 0, 1),
            frame(FrameType.CONTINUATION, END_HEADERS, 1, 3),
            frame(FrameType.HEADERS, END_HEADERS, 3, 4)),
        "headers 1 010203 end",
        "headers 3 04");
  }

  @Test
  void skipsPrioritiesBeforeAFieldBlock() {
    assertTold(
        frame(FrameType.HEADERS, END_HEADERS | FrameFlag.PRIORITY, 3, 0, 0, 0, 1, 15, 0x88),
        "headers 3 88");
  }

  @Test
  void tellsThatABlockIsFaultyWhoseStreamDependsOnItself() {
    assertTold(
        frame(FrameType.HEADERS, END_HEADERS | FrameFlag.PRIORITY, 3, 0x80, 0, 0, 3, 15, 0x88),
        "faulty",
        "headers 3 88");
  }

  @Test
  void ignoresReservedBits() {
    assertTold(
        Unpooled.wrappedBuffer(
            frame(FrameType.HEADERS, END_HEADERS, 1 | RESERVED, 0x88),
            frame(FrameType.WINDOW_UPDATE, 0, RESERVED, 0x80, 0, 0, 1),
            frame(FrameType.GOAWAY, 0, RESERVED, 0x80, 0, 0, 9, 0, 0, 0, 0)),
        "headers 1 88",
        "window 0 1",
        "goaway 9 0");
  }

  @ParameterizedTest
  @CsvSource({
    // type, flags, stream, bytes of payload (each 0), error
    "0, 0, 0, 1, 1", // content of the connection
    "0, 8, 1, 0, 6", // padded, without room for the padding's length
    "1, 4, 0, 1, 1",
    "1, 12, 1, 0, 6",
    "1, 36, 1, 4, 6", // priorities cut short
    "2, 0, 0, 5, 1",
    "3, 0, 0, 4, 1",
    "3, 0, 1, 3, 6",
    "4, 0, 1, 0, 1",
    "4, 0, 0, 5, 6",
    "4, 1, 0, 6, 6",
    "5, 4, 1, 4, 1", // a push
    "6, 0, 1, 8, 1",
    "6, 0, 0, 7, 6",
    "7, 0, 1, 8, 1",
    "7, 0, 0, 7, 6",
    "8, 0, 0, 3, 6",
    "8, 0, 0, 4, 1", // by nothing
    "9, 4, 1, 1, 1", // of no block
  })
  void endsTheConnectionOver(int type, int flags, int streamId, int bytes, int error) {
    assertEquals(error, read(frame(type, flags, streamId, new byte[bytes])));
    assertEquals(List.of(), log.lines());
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 4, 6", "2, 1, 6, 6", "8, 1, 4, 1"})
  void endsTheStreamAloneOver(int type, int streamId, int bytes, int error) {
    assertTold(frame(type, 0, streamId, new byte[bytes]), "fault " + streamId + " " + error);
  }

  @Test
  void endsTheStreamAloneOverADependencyOnItself() {
    assertTold(frame(FrameType.PRIORITY, 0, 3, 0, 0, 0, 3, 16), "fault 3 1");
  }

  @ParameterizedTest
  @CsvSource({"2, 2, 1", "4, 2147483648, 3", "5, 16383, 1", "5, 16777216, 1"})
  void endsTheConnectionOverASettingThatCannotBe(int id, long value, int error) {
    final ByteBuf payload = Unpooled.buffer().writeShort(id).writeInt((int) value);
    final byte[] bytes = new byte[6];
    payload.readBytes(bytes);
    assertEquals(error, read(frame(FrameType.SETTINGS, 0, 0, bytes)));
    assertEquals(List.of(), log.lines());
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "4, 2147483647", "5, 16384", "5, 16777215", "1, 4294967295", "77, 5"})
  void takesASettingAtItsBound(int id, long value) {
    final ByteBuf payload = Unpooled.buffer().writeShort(id).writeInt((int) value);
    final byte[] bytes = new byte[6];
    payload.readBytes(bytes);
    assertTold(frame(FrameType.SETTINGS, 0, 0, bytes), "setting " + id + " " + value, "settings");
  }

  @Test
  void endsTheConnectionOverPaddingAsLongAsThePayload() {
    assertEquals(1, read(frame(FrameType.DATA, PADDED, 1, 2, 7)));
    assertEquals(
        1,
        new FrameReader(MAX_BLOCK_BYTES)
            .read(frame(FrameType.HEADERS, PADDED | END_HEADERS, 1, 1), log));
  }

  @Test
  void endsTheConnectionOverAFrameTooLargeBeforeItHasCome() {
    assertEquals(6, read(header(16_385, FrameType.DATA, 0, 1)));
    assertEquals(
        0, new FrameReader(MAX_BLOCK_BYTES).read(header(16_384, FrameType.DATA, 0, 1), log));
  }

  @Test
  void endsTheConnectionOverAFrameWithinAFieldBlock() {
    for (ByteBuf other :
        List.of(
            frame(FrameType.DATA, 0, 1),
            frame(FrameType.CONTINUATION, END_HEADERS, 3),
            frame(0xbe, 0, 0))) {
      final FrameReader another = new FrameReader(MAX_BLOCK_BYTES);
      assertEquals(0, another.read(frame(FrameType.HEADERS, 0, 1, 0x88), log));
      assertEquals(1, another.read(other, log));
      another.close();
    }
  }

  @Test
  void boundsTheBytesOfAFieldBlock() {
    assertEquals(0, read(frame(FrameType.HEADERS, 0, 1, new byte[16_384])));
    assertEquals(0, read(frame(FrameType.CONTINUATION, 0, 1, new byte[16_384])));
    assertEquals(0, read(frame(FrameType.CONTINUATION, 0, 1, new byte[40_000 - 32_768])));
    assertEquals(0xb, read(frame(FrameType.CONTINUATION, END_HEADERS, 1, 0)));
  }

  @Test
  void boundsTheFramesOfAFieldBlock() {
    assertEquals(0, read(frame(FrameType.HEADERS, 0, 1)));
    for (int frames = 1; frames < FrameReader.MAX_BLOCK_FRAMES; frames++) {
      assertEquals(0, read(frame(FrameType.CONTINUATION, 0, 1)));
    }
    assertEquals(0xb, read(frame(FrameType.CONTINUATION, END_HEADERS, 1)));
  }

  @Test
  void readsNothingMoreOnceTheSinkHasEndedTheConnection() {
    log.answer = ErrorCode.PROTOCOL_ERROR;
    final ByteBuf in =
        Unpooled.wrappedBuffer(
            frame(FrameType.SETTINGS, 0, 0, 0, 9, 0, 0, 0, 1, 0, 9, 0, 0, 0, 2),
            frame(FrameType.PING, 0, 0, new byte[8]));
    assertEquals(ErrorCode.PROTOCOL_ERROR, read(in));
    assertEquals(List.of("setting 9 1"), log.lines());
  }
}
