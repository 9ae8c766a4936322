package dev.weir.proxy.http2;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The life of an {@link Http2Connection} on its channel: sends our settings, passes on what is
 * read, flushes what its streams have written when a turn of the event loop ends, and ends the
 * connection.
 */
final class Http2Handler extends InboundHandler implements TurnEnd.Member {

  private enum State {
    /** Nothing has been sent. */
    NEW,
    OPEN,
    /** The last frame has been written; input is discarded. */
    ENDING,
    CLOSED
  }

  private final Http2Connection connection;
  private final Http2Loop loop;
  private final Channel channel;
  private final StreamEvents events;
  private final Http2Output output;
  private final SendQueue queue;
  private final StreamStates states;
  private final Http2Input input;
  private final ControlFrameLimit unsentAnswers;

  private State state = State.NEW;
  private boolean inTurn;

  Http2Handler(Http2Connection connection) {
    this.connection = connection;
    loop = connection.loop;
    channel = connection.channel;
    events = connection.events;
    output = connection.output;
    queue = connection.queue;
    states = connection.states;
    input = new Http2Input(connection);
    unsentAnswers = new ControlFrameLimit(output);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (channel.isActive()) {
      begin();
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (state == State.NEW) {
      begin();
    }
  }

  private void begin() {
    state = State.OPEN;
    loop.clock.tick();
    connection.observer.connectionOpened();
    connection.timer.start();
    final int listBytes = loop.block.maxListBytes();
    if (connection.role == Role.CLIENT) {
      loop.serviceConnected(connection);
      output.preface();
      output.settings(Setting.ENABLE_PUSH, 0, Setting.MAX_HEADER_LIST_SIZE, listBytes);
    } else {
      loop.clientConnected();
      final int maxStreams = states.maxPeerStreams();
      if (events.takesTunnels()) {
        output.settings(
            Setting.MAX_CONCURRENT_STREAMS,
            maxStreams,
            Setting.MAX_HEADER_LIST_SIZE,
            listBytes,
            Setting.ENABLE_CONNECT_PROTOCOL,
            1);
      } else {
        output.settings(
            Setting.MAX_CONCURRENT_STREAMS, maxStreams, Setting.MAX_HEADER_LIST_SIZE, listBytes);
      }
    }
    connection.windows.start();
    joinTurn();
    events.connectionBegun();
  }

  /** Whether frames may still be read and written. */
  boolean isOpen() {
    return state == State.OPEN;
  }

  /** Ends the connection with an error, by GOAWAY. */
  void fail(int errorCode, String debugText) {
    fail(errorCode, debugText.getBytes(StandardCharsets.US_ASCII));
  }

  /** Ends the connection with an error of the peer. */
  void failFor(int errorCode) {
    fail(errorCode, connection.floodGuard.debugText());
  }

  private void fail(int errorCode, byte[] debugText) {
    if (state != State.OPEN) {
      return;
    }
    output.goAway(connection.goAways.lastStreamId(), errorCode, debugText);
    connection.observer.goAwaySent(errorCode);
    end(errorCode);
  }

  /** Ends this connection, and no other, after an unexpected exception. */
  void failed(Throwable bug) {
    InternalErrors.caught("a connection of HTTP/2", bug);
    if (state == State.OPEN) {
      fail(ErrorCode.INTERNAL_ERROR, Http2Output.NO_DEBUG_TEXT);
    } else {
      channel.close();
    }
  }

  /** Writes GOAWAY and ends the streams; the channel closes once the peer has read it. */
  void end(int errorCode) {
    state = State.ENDING;
    states.endAll(errorCode);
    output.flush();
    if (errorCode == ErrorCode.NO_ERROR) {
      connection.timer.closeWhenTaken();
    } else {
      connection.timer.closeSoon();
    }
    ChannelIo.endOutput(channel, connection.timer::closeSoon);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    final ByteBuf bytes = (ByteBuf) message;
    loop.clock.tick();
    if (state == State.OPEN && events.accepts(bytes)) {
      input.read(bytes);
    } else {
      bytes.release();
    }
  }

  /** Pauses reading for a moment. */
  void pauseReading() {
    connection.timer.pause();
    input.adjust();
  }

  /** Reads, or pauses, as turn, timer and bound say. */
  void adjustReading() {
    input.adjust();
  }

  /** Reads what was left when reading was paused. */
  void resumeReading() {
    input.resume();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      channel.close(); // without windows and resets of the peer's nothing can go on
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable()) {
      joinTurn();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (state == State.CLOSED) {
      return;
    }
    if (state != State.NEW) {
      connection.observer.connectionClosed();
      if (connection.role == Role.SERVER) {
        loop.clientLeft();
      } else {
        loop.serviceLeft(connection);
      }
    }
    state = State.CLOSED;
    states.endAll(ErrorCode.NO_ERROR);
    connection.timer.leave();
    input.close();
    output.discard();
    events.connectionEnded();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      channel.close();
    } else {
      failed(cause);
    }
  }

  /** Has the output flushed at the end of the turn. */
  void joinTurn() {
    if (!inTurn && state == State.OPEN) {
      inTurn = true;
      loop.turnEnd.join(this);
    }
  }

  @Override
  public void turnEnded() {
    inTurn = false;
    if (state != State.OPEN) {
      return;
    }
    events.turnEnding();
    states.endLingering();
    do {
      queue.pump();
      output.flush();
    } while (queue.isReady() && channel.isWritable() && state == State.OPEN);
    if (queue.waitsForWindow()) {
      connection.timer.watchWindow();
    }
    if (unsentAnswers.areTooMany()) {
      channel.close();
      return;
    }
    states.turnEnded();
    input.turnEnded();
    connection.bound.look();
    connection.goAways.endIfDone();
  }

  /** Counts a frame that answers one of the peer's. */
  void controlFrame() {
    unsentAnswers.add();
    joinTurn();
  }
}
