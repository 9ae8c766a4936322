package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client gives back to the server's windows, without a socket: it is half a gigabyte. */
class Http2WindowTest {
  private static final int FRAME_BYTES = 16_384;
  private static final int BODY_BYTES = 3_000_000;
  private static final int HELD_BYTES = 1 << 18;
  private static final byte ALL = (byte) 0xff;
  private static final int GIVEN_BACK_BYTES = 1 << 29;

  @Test
  void writesNoMoreOfContentsAtOnceThanMemoryIsFor() {
    try (WatchedConnection client = new WatchedConnection()) {
      final Http2Connection connection =
          new Http2Connection(client, 9, false, AnswerFields.newBlock());
      final EmbeddedChannel channel = new EmbeddedChannel(connection);
      channel.<ByteBuf>readOutbound().release(); // the preface
      channel.writeInbound(
          frame(Http2FrameTypes.SETTINGS, 0, 0, (byte) 0, (byte) 4, (byte) 0x7f, ALL, ALL, ALL));
      channel.writeInbound(
          frame(Http2FrameTypes.WINDOW_UPDATE, 0, 0, (byte) 0x7f, (byte) 0, ALL, ALL));
      channel.<ByteBuf>readOutbound().release(); // the acknowledgement
      final Request post =
          Http2RequestsTest.of(Http2RequestsTest.spec("POST", "/", new byte[BODY_BYTES]), "");
      for (int i = 0; i < 9; i++) {
        connection.start(post, 1, 1);
      }
      connection.flush();
      int sentBytes = 0;
      for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
        assertTrue(sent.readableBytes() < 2 * HELD_BYTES, sent.toString());
        sentBytes += sent.readableBytes();
        sent.release();
      }
      assertTrue(sentBytes > 9 * BODY_BYTES, "sent: " + sentBytes);
      connection.close();
      channel.finishAndReleaseAll();
      client.expect("opened");
    }
  }

  private static ByteBuf frame(int type, int flags, int streamId, byte... payload) {
    return Unpooled.buffer(9 + payload.length)
        .writeMedium(payload.length)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(streamId)
        .writeBytes(payload);
  }

  /** The stream identifiers and sizes of all window updates that were sent. */
  private static List<String> windowUpdates(EmbeddedChannel channel) {
    final List<String> updates = new ArrayList<>();
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      while (sent.isReadable()) {
        final int bytes = sent.readUnsignedMedium();
        final int type = sent.readByte();
        final int streamId = sent.skipBytes(1).readInt();
        final ByteBuf payload = sent.readSlice(bytes);
        if (type == Http2FrameTypes.WINDOW_UPDATE) {
          updates.add(streamId + ": " + payload.readInt());
        }
      }
      sent.release();
    }
    return updates;
  }

  @Test
  void givesBackWhatItHasReadOfLongAnswers() {
    try (WatchedConnection client = new WatchedConnection()) {
      final Http2Connection connection =
          new Http2Connection(client, 1, false, AnswerFields.newBlock());
      final EmbeddedChannel channel = new EmbeddedChannel(connection);
      channel.<ByteBuf>readOutbound().release(); // the preface
      channel.writeInbound(frame(Http2FrameTypes.SETTINGS, 0, 0));
      connection.start(Http2RequestsTest.of(Http2RequestsTest.spec("GET", "/", null), ""), 1, 1);
      channel.writeInbound(frame(Http2FrameTypes.HEADERS, 4, 1, (byte) 0x88));
      final ByteBuf data = frame(Http2FrameTypes.DATA, 0, 1, new byte[FRAME_BYTES]);
      for (int sent = FRAME_BYTES; sent < GIVEN_BACK_BYTES; sent += FRAME_BYTES) {
        channel.writeInbound(data.retainedDuplicate());
      }
      assertEquals(List.of(), windowUpdates(channel));
      channel.writeInbound(data);
      assertEquals(
          List.of("0: " + GIVEN_BACK_BYTES, "1: " + GIVEN_BACK_BYTES), windowUpdates(channel));
      connection.close();
      channel.finishAndReleaseAll();
      client.expect("opened");
    }
  }
}
