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
 * The end of one client's connection. In order: the output is flushed and closed, and the client
 * has a while to close its side. Or with a reset, if the client could otherwise take a truncated
 * response as complete.
 *
 * <p>Each side closes its output by itself: a client that has closed its own still gets its
 * response.
 */
public final class ConnectionEnd {
  /** How long a client may take to close its side. */
  public static final long LINGER_NS = TimeUnit.SECONDS.toNanos(2);

  /** The most bytes that the client may still send. */
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

  /** Whether the client has closed its output. */
  boolean inputEnded() {
    return inputEnded;
  }

  /** The client has closed its output. */
  void inputHasEnded() {
    inputEnded = true;
    closeIfBothEnded();
  }

  /** Whether the output ends after what has been written. */
  boolean outputEnding() {
    return outputEnding;
  }

  /** Closes the output after what was written. The client may still send. */
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
   * Ends the connection in order. A socket that is closed with unread bytes is reset, and the
   * client loses the response, so input is read for a while.
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

  /** Whether all that was written has been given to the system. */
  boolean nothingIsUnsent() {
    return ChannelIo.areSent(channel);
  }

  /** Closes the connection now: with a reset, unless the output has been flushed and closed. */
  void atOnce() {
    if (!outputEnded) {
      reset();
    } else {
      channel.close();
    }
  }

  /**
   * Resets the connection. A Unix socket has no reset, unless the client has sent bytes that were
   * not read. So a response of HTTP/1.0 that ends with the connection may look complete there.
   */
  void reset() {
    if (channel instanceof SocketChannel && channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    }
    // Past a handler that would say goodbye in order, and make what is cut off look whole.
    channel.unsafe().close(channel.unsafe().voidPromise());
  }
}
