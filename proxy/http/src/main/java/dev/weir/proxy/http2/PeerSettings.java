package dev.weir.proxy.http2;

/** The settings that a connection's peer has sent. */
public final class PeerSettings {
  /** The most streams that we open, whatever the peer allows. */
  public static final int MOST_STREAMS = 100;

  private boolean received;
  private int maxStreams = MOST_STREAMS;
  private int initialWindow = Setting.DEFAULT_WINDOW_BYTES;
  private boolean connectProtocol;
  private boolean ackReceived;
  private boolean asked;

  PeerSettings() {}

  /** The first SETTINGS frame has arrived, or its first entries. */
  void received() {
    received = true;
  }

  /** Whether the peer's first SETTINGS have arrived. */
  public boolean areReceived() {
    return received;
  }

  /** The peer has acknowledged our settings. */
  void ackReceived() {
    ackReceived = true;
  }

  /** Whether the peer has acknowledged our settings. */
  boolean isAckReceived() {
    return ackReceived;
  }

  /** Sets whether the peer still has to acknowledge settings that change nothing. */
  void asked(boolean isAsked) {
    asked = isAsked;
  }

  /** Whether the peer still has to acknowledge settings that change nothing. */
  boolean isAsked() {
    return asked;
  }

  void maxStreams(long streams) {
    maxStreams = (int) Math.min(MOST_STREAMS, streams);
  }

  /** The streams that we may have open: one before the peer's first SETTINGS, then at most 100. */
  public int maxStreams() {
    return received ? maxStreams : 1;
  }

  void initialWindow(int bytes) {
    initialWindow = bytes;
  }

  /** The initial flow-control window of a new stream for what we send. */
  public int initialWindow() {
    return initialWindow;
  }

  void connectProtocol(boolean allowed) {
    connectProtocol = allowed;
  }

  /** Whether a stream may be a tunnel for another protocol (RFC 8441). */
  public boolean allowsConnectProtocol() {
    return connectProtocol;
  }
}
