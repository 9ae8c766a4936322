package dev.weir.proxy.traffic;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameReader;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Setting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * An end of a connection of HTTP/2 that looks at no fields: it answers settings and pings, gives
 * all the windows there are, and is told which frames end a stream.
 */
abstract class Http2Peer extends Peer {
  static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final int WINDOW_BYTES = 1 << 30;
  private static final int STREAM_MASK = Integer.MAX_VALUE;

  private final ByteBuffer frames;

  /**
   * @param frameBytes of frames that are sent together, at most.
   */
  Http2Peer(SocketChannel channel, int frameBytes) {
    super(channel);
    frames = ByteBuffer.allocate(frameBytes);
  }

  /** Sends what a client's side of a connection begins with. */
  final void beginAsClient() throws IOException {
    write(ByteBuffer.wrap(PREFACE));
    settings();
    flush();
  }

  /** Adds this side's settings to what is sent next. */
  final void settings() {
    frame(FrameType.SETTINGS, 0, 0, 6)
        .putShort((short) Setting.INITIAL_WINDOW_SIZE)
        .putInt(WINDOW_BYTES);
    frame(FrameType.WINDOW_UPDATE, 0, 0, 4).putInt(WINDOW_BYTES - Setting.DEFAULT_WINDOW_BYTES);
  }

  /** Adds a frame's header to what is sent next; its payload is to be put behind it. */
  final ByteBuffer frame(int type, int flags, int streamId, int payloadBytes) {
    frames.putShort((short) (payloadBytes >> 8)).put((byte) payloadBytes);
    return frames.put((byte) type).put((byte) flags).putInt(streamId);
  }

  /** Adds a whole frame to what is sent next. */
  final void frame(int type, int flags, int streamId, byte[] payload) {
    frame(type, flags, streamId, payload.length).put(payload);
  }

  /** Sends what was added. */
  final void flush() throws IOException {
    frames.flip();
    if (frames.hasRemaining()) {
      write(frames);
    }
    frames.clear();
  }

  /**
   * The last frame of a stream has come.
   *
   * @param type of that frame.
   */
  abstract void ended(int streamId, int type) throws IOException;

  @Override
  boolean take(ByteBuffer received) throws IOException {
    if (received.remaining() < FrameReader.HEADER_BYTES) {
      return false;
    }
    int start = received.position();
    int bytes = (received.getShort(start) & 0xffff) << 8 | received.get(start + 2) & 0xff;
    if (received.remaining() < FrameReader.HEADER_BYTES + bytes) {
      return false;
    }
    int type = received.get(start + 3);
    int flags = received.get(start + 4);
    int streamId = received.getInt(start + 5) & STREAM_MASK;
    int payload = start + FrameReader.HEADER_BYTES;
    received.position(payload + bytes);
    switch (type) {
      case FrameType.SETTINGS -> {
        if ((flags & FrameFlag.ACK) == 0) {
          frame(FrameType.SETTINGS, FrameFlag.ACK, 0, 0);
          flush();
        }
      }
      case FrameType.PING -> {
        if ((flags & FrameFlag.ACK) == 0) {
          frame(FrameType.PING, FrameFlag.ACK, 0, 8).putLong(received.getLong(payload));
          flush();
        }
      }
      case FrameType.HEADERS, FrameType.DATA -> {
        if ((flags & FrameFlag.END_STREAM) != 0) {
          ended(streamId, type);
        }
      }
      case FrameType.RST_STREAM, FrameType.GOAWAY ->
          throw new IOException("HTTP/2 error " + received.getInt(payload + bytes - 4));
      default -> {}
    }
    return true;
  }
}
