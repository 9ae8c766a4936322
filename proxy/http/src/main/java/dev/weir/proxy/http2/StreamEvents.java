package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.loop.InboundHandler;
import io.netty.buffer.ByteBuf;

/**
 * What an {@link Http2Connection} tells whoever has its streams, and asks. Within a call that tells
 * of a stream, the user may do anything with it, and to others.
 */
abstract class StreamEvents extends InboundHandler {
  StreamEvents() {}

  /**
   * A head has come: of a new stream, as a server, which the user gives an object; as a client,
   * that of a response or one before it (1xx). Neither malformed nor more than may be: but it may
   * be {@link FieldBlock#tooLarge}.
   *
   * @param fields valid during the call.
   */
  protected abstract void headReceived(int stream, FieldBlock fields, boolean endStream);

  /**
   * Some content has come; or none, and the end.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are.
   * @return how much of it is held, until {@link Http2Connection#credit}; from 0 to {@code bytes}.
   */
  protected abstract int dataReceived(
      int stream, ByteBuf in, int offset, int bytes, boolean endStream);

  /**
   * Trailers have come, which end the stream. They have no pseudo fields.
   *
   * @param fields valid during the call; may be {@link FieldBlock#tooLarge}.
   */
  protected abstract void trailersReceived(int stream, FieldBlock fields);

  /**
   * The stream has ended before its time; nothing more is told of it. The user still has to {@link
   * Http2Connection#release} it.
   *
   * @param errorCode the peer's, or the one that it was told.
   */
  protected abstract void streamEnded(int stream, StreamEnd how, int errorCode);

  /**
   * Content that waited since {@link Http2Connection#sendData} has gone into the output.
   *
   * @param bytes that have.
   */
  protected abstract void bytesSent(int stream, int bytes);

  /** Whether streams may be tunnels for other protocols (RFC 8441), as a server. */
  protected boolean takesTunnels() {
    return false;
  }

  /**
   * Whether a stream that we reset, as a client, before the peer has said all, keeps its slot until
   * the peer is known to have seen that ({@link Http2Connection#resetsSeen}).
   */
  protected boolean keepsResets() {
    return false;
  }

  /** A stream has been reset by us, and the peer is told. */
  protected void streamReset(int stream) {}

  /** The peer has seen the reset of a stream, which kept its slot until now. */
  protected void resetSeen(int stream) {}

  /** The turn ends: what is written now goes out with what was written in it. */
  protected void turnEnding() {}

  /**
   * Whether the peer may open a stream, as a client; else it is refused. Asked once for each, and
   * one that may open has a slot until {@link #roomChanged}.
   *
   * @param growthBytes of the heap that the slots take more by it; mostly 0.
   */
  protected boolean mayOpen(int growthBytes) {
    return true;
  }

  /**
   * Streams to a service wait for the window of the connection; told every 100 ms.
   *
   * @param ns for how long the first of them has had no turn; 0 when none waits any more.
   * @param othersNs as {@code ns}, but for the stream that holds most of the window.
   */
  protected void windowAwaited(long ns, long othersNs) {}

  /** Whether the service has answered any request since then, on whatever connection. */
  protected boolean hasAnsweredSince(long ns) {
    return false;
  }

  /** A slot has become free. */
  protected void roomChanged() {}

  /** What may be held of what has been received, in bytes. */
  protected long maxReceivedBytes() {
    return Http2Connection.MAX_RECEIVED_BYTES;
  }

  /** How long the peer may take nothing of content that waits for it. */
  protected long stalledNs() {
    return StalledStreams.STALLED_NS;
  }

  /** The peer's settings have come, the first or others: it may allow more streams, or fewer. */
  protected void settingsReceived() {}

  /**
   * The peer takes no new streams. Those of ours that it has not looked at have been told so.
   *
   * @param errorCode why.
   */
  protected void goAwayReceived(int errorCode) {}

  /**
   * The peer has answered a {@link Http2Connection#ping}.
   *
   * @param data what it was given.
   */
  protected void pingAnswered(long data) {}

  /** The peer has answered {@link Http2Connection#askForAcknowledgement}. */
  protected void acknowledged() {}

  /** The connection has ended, and its streams have been told. */
  protected abstract void connectionEnded();

  /**
   * All frames have been told that were read at once; the bytes of their content are still there.
   */
  protected void readEnding() {
    // Nothing was kept until then.
  }
}
