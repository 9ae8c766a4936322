package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * How one client's connection ends. In order: what was written is sent, then the end of the output,
 * and the client has a while to end its side. Or with a reset, wherever the client would otherwise
 * take what it has for all there is.
 *
 * <p>Each side ends its output by itself: a client that has ended its own still gets its answer.
 */
public final class ConnectionEnd {
  /** How long a client may take to notice that the connection ends. */
  public static final long LINGER_NS = TimeUnit.SECONDS.toNanos(2);

  /** How much it may still send. */
  private static final int LINGER_BYTES = 1024 * 1024;

  private final ClientLoop loop;
  private final Channel channel;
  private final ClientTimer timer;
  private int lingeredBytes;
  private boolean inputEnded;
  private boolean outputEnding;
  private boolean outputEnded;
  private boolean lingers;

  ConnectionEnd(ClientLoop loop, Channel channel, ClientTimer timer) {
    this.loop = loop;
    this.channel = channel;
    this.timer = timer;
  }

  /** Whether the client has said that it sends no more. */
  boolean inputEnded() {
    return inputEnded;
  }

  /** The client has said that it sends no more. */
  void inputHasEnded() {
    inputEnded = true;
    closeIfBothEnded();
  }

  /** Whether the client is told, once it has all that was written, that no more follows. */
  boolean outputEnding() {
    return outputEnding;
  }

  /** Ends the output behind what was written. The client may still send. */
  void endOutput() {
    if (!outputEnding) {
      outputEnding = true;
      ChannelIo.endOutput(channel, this::outputHasEnded);
    }
  }

  private void outputHasEnded() {
    outputEnded = true;
    if (lingers) {
      timer.within(loop.clock.tick(), LINGER_NS);
    }
    closeIfBothEnded();
  }

  private void closeIfBothEnded() {
    if (inputEnded && outputEnded) {
      channel.close();
    }
  }

  /**
   * Ends the connection so that the client can read what was written: a socket closed with unread
   * bytes is reset, and a reset takes the answer with it.
   */
  void inOrder() {
    lingers = true;
    if (!channel.isOpen()) {
      return; // a write has failed: epoll takes it ill if it is told to read
    }
    if (inputEnded && nothingIsUnsent()) {
      channel.close();
      return;
    }
    timer.within(loop.clock.nowNs(), outputEnded ? LINGER_NS : loop.settings.timeouts().writeNs());
    if (!inputEnded) {
      channel.config().setAutoRead(true);
    }
    endOutput();
  }

  /** Throws away what the client still sends while the connection ends. */
  void discard(ByteBuf bytes) {
    lingeredBytes += bytes.readableBytes();
    bytes.release();
    if (lingeredBytes > LINGER_BYTES) {
      atOnce();
    }
  }

  /** Whether all that was written is the system's to deliver. */
  boolean nothingIsUnsent() {
    return ChannelIo.areSent(channel);
  }

  /** Ends the connection now, with a reset unless the client has been sent all and told so. */
  void atOnce() {
    if (!outputEnded) {
      reset();
    } else {
      channel.close();
    }
  }

  /**
   * Ends the connection with a reset. A Unix-domain socket has none: its client sees one only if it
   * has sent what was not read. So over one a body that ends with the connection, as HTTP/1.0 has
   * them, may look whole.
   */
  void reset() {
    if (channel instanceof SocketChannel && channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    }
    // Past a handler that would say goodbye in order, and make what is cut off look whole.
    channel.unsafe().close(channel.unsafe().voidPromise());
  }
}
