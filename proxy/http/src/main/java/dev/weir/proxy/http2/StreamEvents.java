package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import io.netty.buffer.ByteBuf;

/**
 * Whoever has an {@link Http2Connection}, its user: is told of heads and of the connection itself,
 * and says how it is to treat its peer. What else comes of a stream its {@link StreamOwner} is
 * told. Within a call that tells of a stream, anything may be done with it, and to others.
 */
public interface StreamEvents {
  /** The connection has begun: our settings are written. */
  default void connectionBegun() {}

  /**
   * A head has come: as a server, of a new stream, which is given its {@link Http2Connection#owner
   * owner} or released within the call; as a client, that of a response or one before it (1xx). It
   * is not malformed, but may be {@link FieldBlock#tooLarge}.
   *
   * @param fields valid during the call.
   */
  void headReceived(int stream, FieldBlock fields, boolean endStream);

  /**
   * Whether bytes that have come are HTTP/2, as far as their first ones tell; else the user closes
   * the connection.
   */
  default boolean accepts(ByteBuf in) {
    return true;
  }

  /**
   * Whether the streams are different clients', so that what is in one of them is no reason to end
   * the others: always so towards a service, and on connections of an ingress.
   */
  default boolean isShared() {
    return false;
  }

  /** The client that the connection is counted for; null if many may stand there. */
  default Object client() {
    return null;
  }

  /** Whether streams may be tunnels for other protocols (RFC 8441), as a server. */
  default boolean takesTunnels() {
    return false;
  }

  /**
   * Whether a stream that we reset, as a client, before the peer has said all, keeps its slot until
   * the peer is known to have seen that ({@link Http2Connection#resetsSeen}).
   */
  default boolean keepsResets() {
    return false;
  }

  /** A stream has been reset by us, and the peer is told. */
  default void streamReset(int stream) {}

  /** The peer has seen the reset of a stream, which kept its slot until now. */
  default void resetSeen(int stream) {}

  /** The turn ends: what is written now goes out with what was written in it. */
  default void turnEnding() {}

  /**
   * Whether the peer may open a stream, as a client; else it is refused. Asked once for each, and
   * one that may open has a slot until {@link #roomChanged}.
   *
   * @param growthBytes of the heap that the slots take more by it; mostly 0.
   */
  default boolean mayOpen(int growthBytes) {
    return true;
  }

  /**
   * Streams to a service wait for the window of the connection; told every 100 ms.
   *
   * @param ns for how long the first of them has had no turn; 0 when none waits any more.
   * @param othersNs as {@code ns}, but for the stream that holds most of the window.
   */
  default void windowAwaited(long ns, long othersNs) {}

  /** Whether the service has answered any request since then, on whatever connection. */
  default boolean hasAnsweredSince(long ns) {
    return false;
  }

  /** A slot has become free. */
  default void roomChanged() {}

  /** The most bytes of received heads and content that the connection may hold. */
  default long maxReceivedBytes() {
    return Http2Connection.MAX_RECEIVED_BYTES;
  }

  /** The time for which the peer may take nothing of content that waits for it. */
  default long stalledNs() {
    return StalledStreams.STALLED_NS;
  }

  /** The peer's settings have come, the first or others: it may allow more streams, or fewer. */
  default void settingsReceived() {}

  /**
   * The peer takes no new streams. Those of ours that it has not looked at have been told so.
   *
   * @param errorCode why.
   */
  default void goAwayReceived(int errorCode) {}

  /**
   * The peer has answered a {@link Http2Connection#ping}.
   *
   * @param data what it was given.
   */
  default void pingAnswered(long data) {}

  /** The peer has answered {@link Http2Connection#askForAcknowledgement}. */
  default void acknowledged() {}

  /** The connection has ended, and its streams have been told. */
  void connectionEnded();

  /**
   * All frames have been told that were read at once; the bytes of their content are still there.
   */
  default void readEnding() {
    // Nothing was kept until then.
  }
}
