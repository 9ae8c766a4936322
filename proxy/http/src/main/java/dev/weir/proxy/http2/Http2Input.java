package dev.weir.proxy.http2;

import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * The input of one side of a connection: splits bytes into frames, keeps an incomplete one, and
 * pauses when told to. Used by the connection's event loop only; {@link #close} must be called in
 * the end.
 */
final class Http2Input {
  /** The most bytes that are read of a connection in one turn, so that others are read too. */
  static final int MAX_TURN_BYTES = 1 << 16;

  private final Http2Connection connection;
  private final Channel channel;
  private final ReceivedFrames frames;
  private final FrameReader reader;

  private ByteBuf in;
  private int turnBytes;
  private boolean isReading;
  private boolean prefaceRead;

  Http2Input(Http2Connection connection) {
    this.connection = connection;
    channel = connection.channel;
    frames = new ReceivedFrames(connection);
    reader =
        new FrameReader(
            connection.role == Role.CLIENT
                ? Http2Loop.MAX_SERVICE_BLOCK_BYTES
                : Http2Loop.MAX_BLOCK_BYTES);
    prefaceRead = connection.role == Role.CLIENT; // a server begins with its SETTINGS
  }

  /** Reads bytes, which it takes over. */
  void read(ByteBuf bytes) {
    final int length = bytes.readableBytes();
    in = ChannelIo.append(in, bytes);
    turnBytes += length;
    readFrames(length);
    if (turnBytes >= MAX_TURN_BYTES) {
      connection.handler.joinTurn();
      adjust();
    }
  }

  /** The turn has ended: the next one may read as much again. */
  void turnEnded() {
    final boolean hasStopped = turnBytes >= MAX_TURN_BYTES;
    turnBytes = 0;
    if (hasStopped) {
      adjust();
    }
  }

  /**
   * Reads all complete frames.
   *
   * @param bytes that have arrived since the last call.
   */
  private void readFrames(int bytes) {
    if (isReading || in == null) {
      return;
    }
    isReading = true;
    boolean hasEnded = false;
    try {
      int error = connection.floodGuard.read(bytes);
      int before = -1;
      try {
        while (error == ErrorCode.NO_ERROR
            && connection.handler.isOpen()
            && in.readableBytes() != before
            && in.isReadable()
            && !connection.timer.isPaused()) {
          before = in.readableBytes();
          error = prefaceRead ? reader.read(in, frames) : readPreface();
          hasEnded |=
              connection.handler.isOpen() && in.readableBytes() < before && !reader.isInBlock();
        }
      } finally {
        connection.events.readEnding(); // what was kept until then is not there for the next read
      }
      if (error != ErrorCode.NO_ERROR) {
        connection.handler.failFor(error);
      }
    } catch (RuntimeException | Error bug) {
      connection.handler.failed(bug);
    } finally {
      isReading = false;
      keepRest();
    }
    connection.timer.frameIsOpen(in != null || reader.isInBlock(), hasEnded);
    connection.bound.read();
  }

  private int readPreface() {
    final int bytes = Math.min(in.readableBytes(), ClientPreface.BYTES);
    if (!ClientPreface.mayBegin(in)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (bytes == ClientPreface.BYTES) {
      in.skipBytes(bytes);
      prefaceRead = true;
    }
    return ErrorCode.NO_ERROR;
  }

  /**
   * Copies the incomplete frame into memory of its own size, so that the memory of a whole read is
   * released.
   */
  private void keepRest() {
    if (in == null) {
      return;
    }
    if (!in.isReadable() || !connection.handler.isOpen()) {
      in.release();
      in = null;
    } else if (in.capacity() > 2 * in.readableBytes() + FrameReader.HEADER_BYTES) {
      final ByteBuf rest = channel.alloc().directBuffer(in.readableBytes());
      rest.writeBytes(in);
      in.release();
      in = rest;
    }
  }

  /** Reads, or pauses, as turn, timer and bound say. */
  void adjust() {
    final boolean read =
        turnBytes < MAX_TURN_BYTES && !connection.timer.isPaused() && !connection.bound.isReached();
    if (channel.isOpen() && channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
    }
  }

  /** Reads what was left when reading was paused. */
  void resume() {
    adjust();
    readFrames(0);
    connection.handler.joinTurn();
  }

  /** Ends the input. */
  void close() {
    reader.close();
    keepRest();
  }
}
