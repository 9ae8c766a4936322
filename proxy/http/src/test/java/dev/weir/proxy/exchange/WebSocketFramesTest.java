package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketFramesTest {
  private static final int TEXT = 0x81;
  private static final int BEGUN = 0x01;
  private static final int PING = 0x89;
  private static final int CLOSE = 0x88;

  private WebSocketFrames frames = new WebSocketFrames();

  private static ByteBuf frame(int opcode, int length) {
    ByteBuf frame = Unpooled.buffer().writeByte(opcode);
    if (length < 126) {
      frame.writeByte(length);
    } else if (length < 1 << 16) {
      frame.writeByte(126).writeShort(length);
    } else {
      frame.writeByte(127).writeLong(length);
    }
    return frame.writeZero(length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 125, 126, 127, 65_535, 65_536})
  void endsWhereItsLengthSays(int length) {
    ByteBuf frame = frame(TEXT, length);
    for (int cut = 1; cut < Math.min(20, frame.readableBytes()); cut++) {
      frames = new WebSocketFrames();
      frames.follow(frame.slice(0, cut));
      assertFalse(frames.isBetweenFrames(), "after " + cut + " bytes");
      frames.follow(frame.slice(cut, frame.readableBytes() - cut));
      assertTrue(frames.isBetweenFrames());
    }
  }

  @Test
  void findsTheEndOfAFrameAmongMany() {
    ByteBuf many = Unpooled.wrappedBuffer(frame(BEGUN, 300), frame(PING, 0), frame(0x80, 7));
    frames = new WebSocketFrames();
    frames.follow(many.readSlice(2));
    assertEquals(302, frames.followToEnd(many));
    assertTrue(frames.isBetweenFrames(), "a control frame may stand between two fragments");
    assertEquals(0, frames.followToEnd(many.skipBytes(302)));
    frames.follow(many);
    assertTrue(frames.isBetweenFrames());
  }

  @Test
  void hasNoPlaceBehindAClose() {
    frames = new WebSocketFrames();
    frames.follow(frame(CLOSE, 2));
    assertFalse(frames.isBetweenFrames());
    assertEquals(12, frames.followToEnd(frame(TEXT, 10)));
    assertFalse(frames.isBetweenFrames());
    frames = new WebSocketFrames();
    assertTrue(frames.isBetweenFrames());
  }

  @Test
  void hasNoPlaceWhereNoFramesAre() {
    frames = new WebSocketFrames();
    frames.follow(Unpooled.wrappedBuffer(new byte[] {(byte) TEXT, (byte) 0x80, 0, 0, 0, 0}));
    assertFalse(frames.isBetweenFrames(), "a service masks nothing");
    frames = new WebSocketFrames();
    frames.follow(Unpooled.buffer().writeByte(TEXT).writeByte(127).writeLong(-1));
    assertFalse(frames.isBetweenFrames(), "no frame is so long");
  }
}
