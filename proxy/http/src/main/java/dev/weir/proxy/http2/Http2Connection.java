package dev.weir.proxy.http2;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Http2Observer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One side of an HTTP/2 connection (RFC 9113), for whoever has its streams: frames, fields,
 * settings, windows both ways, and what an abusive peer is given. Knows nothing of what the streams
 * are for.
 *
 * <p><b>A stream</b> is the number of its slot. What it is for is an object that its user gives
 * ({@link #user}). It is told of until {@link #streamEnded} is told, or until the user calls {@link
 * #release}, which must come in the end in either case: only then is its slot used again, and does
 * it no longer count against the most that may be open.
 *
 * <p><b>Content received</b> is lent during {@link #dataReceived}. What of it the user holds counts
 * against the peer until {@link #credit}. <b>Content sent</b> is taken over by {@link #sendData};
 * what of it waits is told by {@link #bytesSent} as it leaves. Trailers and the end wait behind it.
 * All that is written goes out at the end of the loop's turn.
 *
 * <p>All calls are on the connection's event loop. No object is made for a frame, a field or a
 * stream.
 */
public abstract non-sealed class Http2Connection extends StreamOperations
    implements TurnEnd.Member {
  /** The window that each stream begins with, both ways: the one of the standard. */
  public static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;

  /**
   * What one connection may hold of what it has received, unless its user says otherwise, and but
   * for what comes by windows that have grown.
   */
  public static final long MAX_RECEIVED_BYTES = 1L << 20;

  private static final byte[] NO_DEBUG_TEXT = {};

  private enum State {
    /** Nothing has been said. */
    NEW,
    OPEN,
    /** The last has been said; what comes is thrown away. */
    ENDING,
    CLOSED
  }

  final ConnectionTimer timer;
  final GoAways goAways;
  final HeldBound bound;
  private final Http2Input input;

  private State state = State.NEW;
  private boolean inTurn;
  private final ControlFrameLimit unsentAnswers;

  /**
   * @param maxPeerStreams that the peer may have open; 0 if it opens none, as a server.
   */
  @SuppressWarnings("this-escape") // to its own parts, which call it later only
  protected Http2Connection(
      Http2Loop loop, Role role, Channel channel, Http2Observer observer, int maxPeerStreams) {
    super(loop, role, channel, observer, maxPeerStreams);
    unsentAnswers = new ControlFrameLimit(output);
    timer = new ConnectionTimer(this, loop.deadlines);
    goAways = new GoAways(this);
    bound = new HeldBound(this);
    input = new Http2Input(this);
  }

  /** Begins the connection, whose channel is active. */
  protected final void start() {
    state = State.OPEN;
    observer.connectionOpened();
    timer.start();
    if (role == Role.CLIENT) {
      loop.serviceConnected(this);
      output.preface();
      output.settings(
          Setting.ENABLE_PUSH, 0, Setting.MAX_HEADER_LIST_SIZE, loop.block.maxListBytes());
    } else {
      loop.clientConnected();
      startAsServer();
    }
    windows.start();
    joinTurn();
  }

  private void startAsServer() {
    final int listBytes = loop.block.maxListBytes();
    if (takesTunnels()) {
      output.settings(
          Setting.MAX_CONCURRENT_STREAMS,
          states.maxPeerStreams(),
          Setting.MAX_HEADER_LIST_SIZE,
          listBytes,
          Setting.ENABLE_CONNECT_PROTOCOL,
          1);
    } else {
      output.settings(
          Setting.MAX_CONCURRENT_STREAMS,
          states.maxPeerStreams(),
          Setting.MAX_HEADER_LIST_SIZE,
          listBytes);
    }
  }

  /** The client that it is counted for; null if many may stand there. */
  public Object client() {
    return null;
  }

  /** Received bytes that are held, and the memory of what waits to be sent. */
  public final long heldBytes() {
    return bound.heldBytes();
  }

  /** What the peer has said of itself. */
  public final PeerSettings peerSettings() {
    return peer;
  }

  @Override
  public final boolean isGoingAway() {
    return state != State.OPEN || goAways.isGoing();
  }

  /**
   * Asks the peer whether it is there.
   *
   * @param data what its answer will have, which {@link #pingAnswered} tells.
   */
  public final void ping(long data) {
    output.ping(data);
    joinTurn();
  }

  /**
   * Asks the peer whether it is there by settings that change nothing, whose acknowledgement {@link
   * #acknowledged} tells.
   *
   * @return whether it is asked; not while other settings wait for theirs.
   */
  public final boolean askForAcknowledgement() {
    if (!peer.isAckReceived() || windows.awaitsAcknowledgement() || peer.isAsked()) {
      return false;
    }
    peer.asked(true);
    output.settings();
    joinTurn();
    return true;
  }

  @Override
  public final void drain() {
    if (state == State.OPEN) {
      goAways.drain();
    }
  }

  /** Ends the connection with an error, which the peer is told. */
  public final void fail(int errorCode, String debugText) {
    fail(errorCode, debugText.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  final void failFor(int errorCode) {
    fail(errorCode, conduct.debugText());
  }

  private void fail(int errorCode, byte[] debugText) {
    if (state != State.OPEN) {
      return;
    }
    output.goAway(goAways.lastStreamId(), errorCode, debugText);
    observer.goAwaySent(errorCode);
    end(errorCode);
  }

  /** Ends the connection at once; the peer is told nothing more. */
  public final void close() {
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    final ByteBuf bytes = (ByteBuf) message;
    loop.clock.tick();
    if (state == State.OPEN) {
      input.read(bytes);
    } else {
      bytes.release();
    }
  }

  /** Reading stops for a moment, where it is. */
  final void pauseReading() {
    timer.pause();
    input.adjust();
  }

  /** It has become another thing whether more is read. */
  final void adjustReading() {
    input.adjust();
  }

  /** Reads on what was left when the reading stopped. */
  final void resume() {
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
      observer.connectionClosed();
      if (role == Role.SERVER) {
        loop.clientLeft();
      } else {
        loop.serviceLeft(this);
      }
    }
    state = State.CLOSED;
    states.endAll(ErrorCode.NO_ERROR);
    timer.leave();
    input.close();
    output.discard();
    connectionEnded();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      channel.close();
    } else {
      failed(cause);
    }
  }

  /** Something of ours has failed: this connection ends, and no other. */
  public final void failed(Throwable bug) {
    InternalErrors.caught("a connection of HTTP/2", bug);
    if (state == State.OPEN) {
      fail(ErrorCode.INTERNAL_ERROR, NO_DEBUG_TEXT);
    } else {
      channel.close();
    }
  }

  @Override
  final void joinTurn() {
    if (!inTurn && state == State.OPEN) {
      inTurn = true;
      loop.turnEnd.join(this);
    }
  }

  @Override
  public final void turnEnded() {
    inTurn = false;
    if (state != State.OPEN) {
      return;
    }
    turnEnding();
    states.endLingering();
    do {
      queue.pump();
      output.flush();
    } while (queue.isReady() && channel.isWritable() && state == State.OPEN);
    if (queue.waitsForWindow()) {
      timer.watchWindow();
    }
    if (unsentAnswers.areTooMany()) {
      channel.close();
      return;
    }
    states.turnEnded();
    input.turnEnded();
    bound.look();
    goAways.endIfDone();
  }

  /** A frame that answers the peer's, of which it may make us send any number. */
  final void controlFrame() {
    unsentAnswers.add();
    joinTurn();
  }

  @Override
  final boolean isOpen() {
    return state == State.OPEN;
  }

  /** All has been said: the streams are told, and the channel closes once the peer has heard. */
  final void end(int errorCode) {
    state = State.ENDING;
    states.endAll(errorCode);
    output.flush();
    if (errorCode == ErrorCode.NO_ERROR) {
      timer.closeWhenTaken();
    } else {
      timer.closeSoon();
    }
    ChannelIo.endOutput(channel, timer::closeSoon);
  }
}
