package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import io.netty.buffer.ByteBuf;

/**
 * The user of an {@link Http2Connection}: receives heads and the events of the connection itself,
 * and says how the peer is to be treated. The other events of a stream go to its {@link
 * StreamOwner}. Within a call about a stream, any stream may be used.
 */
public interface StreamEvents {
  /** The connection has begun: our settings are written. */
  default void connectionBegun() {}

  /**
   * A head has arrived. For a server it is that of a new stream, which must get its {@link
   * Http2Connection#owner owner} or be released within the call; for a client it is that of a
   * response, informational or final. It is well-formed, but may be {@link FieldBlock#tooLarge}.
   *
   * @param fields valid during the call.
   */
  void headReceived(int stream, FieldBlock fields, boolean endStream);

  /** Whether the first bytes are HTTP/2; if not, the user closes the connection. */
  default boolean accepts(ByteBuf in) {
    return true;
  }

  /**
   * Whether the streams belong to different clients, so that an error in one of them must not end
   * the others: always towards a service, and for connections of an ingress.
   */
  default boolean isShared() {
    return false;
  }

  /** The client that the connection counts for; null if it stands for many. */
  default Object client() {
    return null;
  }

  /** Whether streams may be tunnels for other protocols (RFC 8441), as a server. */
  default boolean takesTunnels() {
    return false;
  }

  /**
   * Whether, as a client, a stream that we reset early keeps its slot until the peer is known to
   * have seen that ({@link Http2Connection#resetsSeen}).
   */
  default boolean keepsResets() {
    return false;
  }

  /** We have reset a stream. */
  default void streamReset(int stream) {}

  /** The peer has seen the reset of a stream, whose slot is now free. */
  default void resetSeen(int stream) {}

  /** The turn ends: frames written now are sent with those of the turn. */
  default void turnEnding() {}

  /**
   * Whether the peer may open a stream, as a client; otherwise it is refused. Called once for each;
   * an opened stream has a slot until {@link #roomChanged}.
   *
   * @param growthBytes of the heap that the slots grow by; mostly 0.
   */
  default boolean mayOpen(int growthBytes) {
    return true;
  }

  /**
   * Streams to a service wait for the connection's window; called every 100 ms.
   *
   * @param ns how long the first of them has waited; 0 when none waits any more.
   * @param othersNs the same without the stream that holds most of the window.
   */
  default void windowAwaited(long ns, long othersNs) {}

  /** Whether the service has answered any request since then, on any connection. */
  default boolean hasAnsweredSince(long ns) {
    return false;
  }

  /** A slot has become free. */
  default void roomChanged() {}

  /** The most bytes of received heads and content that the connection may hold. */
  default long maxReceivedBytes() {
    return Http2Connection.MAX_RECEIVED_BYTES;
  }

  /** How long the peer may read nothing of waiting content. */
  default long stalledNs() {
    return StalledStreams.STALLED_NS;
  }

  /** The peer's settings have changed: it may allow more streams, or fewer. */
  default void settingsReceived() {}

  /**
   * The peer takes no new streams. Our streams that it has not processed have been ended.
   *
   * @param errorCode of the GOAWAY.
   */
  default void goAwayReceived(int errorCode) {}

  /**
   * The peer has answered a {@link Http2Connection#ping}.
   *
   * @param data of the ping.
   */
  default void pingAnswered(long data) {}

  /** The peer has answered {@link Http2Connection#askForAcknowledgement}. */
  default void acknowledged() {}

  /** The connection has ended, after all of its streams. */
  void connectionEnded();

  /**
   * All frames of one read have been passed on; the bytes of their content are still in the buffer.
   */
  default void readEnding() {
    // Nothing was kept until then.
  }
}
