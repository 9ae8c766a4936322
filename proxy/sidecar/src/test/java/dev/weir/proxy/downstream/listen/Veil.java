package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * An outbound handler of the kind that encrypts: it keeps what is written until it is flushed,
 * changes every byte, and says farewell in its own way before the output ends. What goes past it is
 * seen as plain text; what is written to it and flushed past it is never sent.
 */
final class Veil extends ChannelOutboundHandlerAdapter {
  static final String FAREWELL = "[farewell]";
  private static final int MASK = 0x80;

  private final ArrayDeque<ByteBuf> kept = new ArrayDeque<>();
  private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();

  /** The byte as it was before, or will be behind, the veil. */
  static int turn(int b) {
    return b ^ MASK;
  }

  /** A Latin-1 text as it was before, or will be behind, the veil. */
  static String turn(String text) {
    StringBuilder turned = new StringBuilder();
    text.chars().forEach(c -> turned.append((char) turn(c)));
    return turned.toString();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    kept.add((ByteBuf) message);
    promises.add(promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    while (!kept.isEmpty()) {
      ByteBuf plain = kept.remove();
      String text = plain.toString(StandardCharsets.ISO_8859_1);
      String last = plain == ChannelIo.OUTPUT_END ? FAREWELL : "";
      plain.release();
      byte[] veiled = turn(text + last).getBytes(StandardCharsets.ISO_8859_1);
      ctx.write(Unpooled.wrappedBuffer(veiled), promises.remove());
    }
    ctx.flush();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    kept.forEach(ByteBuf::release);
    kept.clear();
  }
}
