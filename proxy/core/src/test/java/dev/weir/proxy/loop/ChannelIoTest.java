package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChannelIoTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new InboundHandler() {});
  private final Recorder recorder = new Recorder();

  @AfterEach
  void release() {
    channel.finishAndReleaseAll();
  }

  @Test
  void anOutboundHandlerSeesWhatIsWrittenWhileItIsThere() {
    write("before ");
    channel.pipeline().addFirst(recorder);
    write("while ");
    ChannelIo.flush(channel);
    channel.pipeline().remove(recorder);
    write("after");
    ChannelIo.flush(channel);
    assertEquals(List.of("while ", "flush"), recorder.seen);
    assertEquals("before while after", sent());
  }

  @Test
  void anOutboundHandlerBehindTheConnectionsOwnSeesWhatIsWritten() {
    channel.pipeline().addLast(recorder);
    write("a");
    ChannelIo.flush(channel);
    assertEquals(List.of("a", "flush"), recorder.seen);
  }

  @Test
  void anOutboundHandlerThatIsTheOnlyOneSeesWhatIsWritten() {
    EmbeddedChannel alone = new EmbeddedChannel(recorder);
    ChannelIo.write(alone, text("a"));
    ChannelIo.flush(alone);
    assertEquals(List.of("a", "flush"), recorder.seen);
    alone.finishAndReleaseAll();
  }

  @Test
  void anOutboundHandlerSeesTheEndBehindAllBytes() {
    channel.pipeline().addFirst(recorder);
    write("last");
    ChannelIo.endOutput(channel, () -> {});
    assertEquals(List.of("last", "end", "flush"), recorder.seen);
  }

  @Test
  void whatAHandlerMayKeepIsNotSent() {
    assertTrue(ChannelIo.areSent(channel));
    write("a");
    assertFalse(ChannelIo.areSent(channel));
    ChannelIo.flush(channel);
    assertTrue(ChannelIo.areSent(channel));
    channel.pipeline().addFirst(recorder);
    assertFalse(ChannelIo.areSent(channel));
  }

  @Test
  void appendsBehindWhatWasKept() {
    ByteBuf kept = text("ab");
    kept.readByte();
    ByteBuf joined = ChannelIo.append(kept, text("cd"));
    assertEquals("bcd", joined.toString(StandardCharsets.US_ASCII));
    joined.release();
  }

  @Test
  void appendsToNothingWithoutACopy() {
    ByteBuf more = text("a");
    assertSame(more, ChannelIo.append(null, more));
    ByteBuf empty = Unpooled.directBuffer(8);
    assertSame(more, ChannelIo.append(empty, more));
    assertEquals(0, empty.refCnt());
    more.release();
  }

  /** Somebody else holds a part of the buffer: its room is not ours to write to. */
  @Test
  void appendsToACopyOfWhatIsShared() {
    ByteBuf kept = Unpooled.directBuffer(64).writeBytes(new byte[] {'a', 'b'});
    ByteBuf slice = kept.retainedSlice(0, 1);
    ByteBuf joined = ChannelIo.append(kept, text("c"));
    assertEquals("abc", joined.toString(StandardCharsets.US_ASCII));
    assertEquals(1, slice.refCnt());
    slice.release();
    joined.release();
  }

  @Test
  void viewsTheReadableBytesInPlace() {
    UnsafeBuffer window = new UnsafeBuffer(0, 0);
    for (ByteBuf bytes :
        List.of(text("abc"), Unpooled.buffer(8).writeBytes(new byte[] {'a', 'b', 'c'}))) {
      bytes.readByte();
      ChannelIo.view(bytes, window);
      assertEquals(2, window.capacity());
      assertEquals('b', window.getByte(0));
      bytes.release();
    }
  }

  private void write(String bytes) {
    ChannelIo.write(channel, text(bytes));
  }

  private static ByteBuf text(String text) {
    return Unpooled.directBuffer(16).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private String sent() {
    StringBuilder text = new StringBuilder();
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      text.append(next.toString(StandardCharsets.US_ASCII));
      next.release();
    }
    return text.toString();
  }

  /** Keeps what it is told, in order, and passes it on. */
  private static final class Recorder extends ChannelOutboundHandlerAdapter {
    private final List<String> seen = new ArrayList<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ByteBuf bytes = (ByteBuf) message;
      seen.add(bytes == ChannelIo.OUTPUT_END ? "end" : bytes.toString(StandardCharsets.US_ASCII));
      ctx.write(message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      seen.add("flush");
      ctx.flush();
    }
  }
}
