package dev.weir.bench.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class Http2PeerTest {
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int FRAME_BYTES = 16_384;
  private static final int GIVEN_BACK_BYTES = 1 << 29;

  private static EmbeddedChannel opened(Http2Sink.Behaviour behaviour) {
    final EmbeddedChannel channel = new EmbeddedChannel(new Http2Peer(behaviour));
    channel.writeInbound(Http2CodecUtil.connectionPrefaceBuf());
    sent(channel);
    return channel;
  }

  private static ByteBuf frame(int type, int flags, int streamId, byte... payload) {
    return Unpooled.buffer(9 + payload.length)
        .writeMedium(payload.length)
        .writeByte(type)
        .writeByte(flags)
        .writeInt(streamId)
        .writeBytes(payload);
  }

  /** The frames that were sent: type, flags, stream and length. */
  private static List<String> sent(EmbeddedChannel channel) {
    final List<String> frames = new ArrayList<>();
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      while (sent.isReadable()) {
        final int bytes = sent.readUnsignedMedium();
        frames.add(sent.readByte() + " " + sent.readByte() + " " + sent.readInt() + ", " + bytes);
        sent.skipBytes(bytes);
      }
      sent.release();
    }
    return frames;
  }

  @Test
  void answersWhenTheWholeRequestHasCome() {
    final EmbeddedChannel channel =
        opened(Http2Sink.Behaviour.answering(Http2Answer.http(200, new byte[3])));
    channel.writeInbound(frame(Http2FrameTypes.HEADERS, END_HEADERS, 3));
    channel.writeInbound(frame(Http2FrameTypes.DATA, 0, 3));
    assertEquals(List.of(), sent(channel));
    channel.writeInbound(frame(Http2FrameTypes.DATA, END_STREAM, 3));
    assertEquals(List.of("1 4 3, 1", "0 1 3, 3"), sent(channel));
    channel.finishAndReleaseAll();
  }

  @Test
  void answersWhenTheLastFieldsHaveCome() {
    final EmbeddedChannel channel =
        opened(Http2Sink.Behaviour.answering(Http2Answer.http(418, new byte[0])));
    channel.writeInbound(frame(Http2FrameTypes.HEADERS, END_STREAM, 1));
    channel.writeInbound(frame(Http2FrameTypes.CONTINUATION, 0, 1));
    assertEquals(List.of(), sent(channel));
    channel.writeInbound(frame(Http2FrameTypes.CONTINUATION, END_HEADERS, 1));
    assertEquals(List.of("1 5 1, 5"), sent(channel));
    channel.finishAndReleaseAll();
  }

  @Test
  void waitsForTheClientsWindow() {
    final EmbeddedChannel channel =
        opened(Http2Sink.Behaviour.answering(Http2Answer.http(200, new byte[FRAME_BYTES])));
    for (int stream = 1; stream <= 9; stream += 2) {
      channel.writeInbound(frame(Http2FrameTypes.HEADERS, END_HEADERS | END_STREAM, stream));
    }
    assertEquals(6, sent(channel).size()); // 65,535 bytes are three answers
    channel.writeInbound(
        frame(Http2FrameTypes.WINDOW_UPDATE, 0, 0, (byte) 0, (byte) 0, (byte) 0, (byte) 1));
    assertEquals(List.of("1 4 7, 1", "0 1 7, 16384"), sent(channel));
    channel.finishAndReleaseAll();
  }

  @Test
  void givesBackWhatItHasReadOfBodies() {
    final EmbeddedChannel channel = opened((peer, stream) -> {});
    final ByteBuf data = frame(Http2FrameTypes.DATA, 0, 1, new byte[FRAME_BYTES]);
    for (int sent = FRAME_BYTES; sent < GIVEN_BACK_BYTES; sent += FRAME_BYTES) {
      channel.writeInbound(data.retainedDuplicate());
    }
    assertEquals(List.of(), sent(channel));
    channel.writeInbound(data);
    assertEquals(List.of("8 0 0, 4"), sent(channel));
    channel.finishAndReleaseAll();
  }

  @Test
  void refusesAnAnswerLargerThanAFrame() {
    assertThrows(
        IllegalArgumentException.class, () -> Http2Answer.http(200, new byte[FRAME_BYTES + 1]));
  }
}
