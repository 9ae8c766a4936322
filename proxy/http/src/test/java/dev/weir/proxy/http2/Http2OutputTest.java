package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is sent is read by {@link FrameReader} again. */
class Http2OutputTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final Http2Output output = new Http2Output(channel);

  @AfterEach
  void end() {
    output.discard();
    channel.finishAndReleaseAll();
  }

  /** What the one buffer says that a flush sends. */
  private List<String> sent() {
    output.flush();
    final ByteBuf sent = channel.readOutbound();
    assertNull(channel.readOutbound());
    final FrameReader reader = new FrameReader(1 << 20);
    final FrameLog log = new FrameLog();
    while (sent.isReadable()) {
      assertEquals(ErrorCode.NO_ERROR, reader.read(sent, log));
    }
    sent.release();
    reader.close();
    return log.lines();
  }

  @Test
  void gathersEverythingIntoOneBuffer() {
    output.settings(Setting.INITIAL_WINDOW_SIZE, 5, Setting.ENABLE_PUSH, 0);
    output.headers(1, new byte[] {(byte) 0x88}, false);
    output.data(1, new byte[] {1, 2, 3}, 1, 2, true);
    output.reset(3, ErrorCode.CANCEL);
    output.windowUpdate(0, 77);
    output.goAway(9, ErrorCode.PROTOCOL_ERROR);
    assertEquals(
        List.of(
            "setting 4 5",
            "setting 2 0",
            "settings",
            "headers 1 88",
            "data 1 0203 of 2 end",
            "reset 3 8",
            "window 0 77",
            "goaway 9 1"),
        sent());
  }

  @Test
  void sendsNothingWhereNothingWasGathered() {
    output.flush();
    assertNull(channel.readOutbound());
  }

  @Test
  void beginsWithTheClientsPreface() {
    output.preface();
    output.settings();
    output.flush();
    final ByteBuf sent = channel.readOutbound();
    assertTrue(ClientPreface.begins(sent));
    assertEquals(ClientPreface.BYTES + FrameReader.HEADER_BYTES, sent.readableBytes());
    sent.setByte(3, 'x');
    assertFalse(ClientPreface.begins(sent));
    sent.release();
  }

  @Test
  void splitsAFieldBlockAtTheFrameThatThePeerTakes() {
    final byte[] block = new byte[16_384 + 1];
    output.headers(1, block, true);
    assertEquals(List.of("headers 1 " + "00".repeat(block.length) + " end"), sent());
    output.maxFrameBytes(block.length);
    output.headers(1, block, true);
    output.flush();
    final ByteBuf sent = channel.readOutbound();
    assertEquals(FrameReader.HEADER_BYTES + block.length, sent.readableBytes());
    sent.release();
  }

  @Test
  void tellsInOneBlockThatTheTableHasShrunk() {
    output.shrinkTable();
    output.headers(1, new byte[] {1}, true);
    output.headers(3, new byte[] {1}, true);
    assertEquals(List.of("headers 1 2001 end", "headers 3 01 end"), sent());
  }

  @Test
  void writesAnAnswerWholeUnlessThePeerMustBeToldOfItsTableFirst() {
    final AnswerTemplate template = new AnswerTemplate(new byte[] {1, 2}, new byte[] {3});
    final byte[] content = new byte[16_384];
    content[0] = 5;
    output.shrinkTable();
    assertFalse(output.answer(1, template, content, 1));
    output.headers(1, new byte[] {1}, true);
    assertTrue(output.answer(0x7fff_ffff, template, content, 1));
    assertTrue(output.answer(3, template, content, content.length));
    assertTrue(output.answer(5, template, content, 0));
    assertEquals(
        List.of(
            "headers 1 2001 end",
            "headers 2147483647 0102",
            "data 2147483647 05 of 1",
            "headers 2147483647 03 end",
            "headers 3 0102",
            "data 3 05" + "00".repeat(16_383) + " of 16384",
            "headers 3 03 end",
            "headers 5 0102",
            "data 5  of 0",
            "headers 5 03 end"),
        sent());
  }

  @Test
  void isFullWhileMuchWaitsToBeSent() {
    assertFalse(output.isFull());
    for (int bytes = 0; bytes < 1 << 18; bytes += 16_384) {
      output.data(1, new byte[16_384], 0, 16_384, false);
    }
    assertTrue(output.isFull());
  }
}
