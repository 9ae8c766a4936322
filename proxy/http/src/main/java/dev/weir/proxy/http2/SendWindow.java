package dev.weir.proxy.http2;

/**
 * One connection's flow-control window for what we send (RFC 9113, section 5.2).
 *
 * <p>Streams to a service belong to different clients, and most services open this window as their
 * handlers read. So a stream that is not read must not take all of it. A stream may have three
 * times what it leaves free, counted in bytes that the service has not acknowledged on it: alone,
 * three quarters of the window; two streams, three sevenths each; and something is always left for
 * the next.
 */
final class SendWindow {
  private static final int TIMES_LEFT = 3;

  private final boolean isShared;
  private int bytes = Setting.DEFAULT_WINDOW_BYTES;

  /** The largest size that it has had, which is all of it once everything was read. */
  private int mostBytes = bytes;

  /** Whether the peer has opened it before three quarters were used. */
  private boolean isGivenBackEarly;

  /** Whether one stream may use all of it: no other waits, and the peer may be waiting for that. */
  private boolean isOpenToOne;

  /**
   * @param role CLIENT if the streams belong to different owners.
   */
  SendWindow(Role role) {
    isShared = role == Role.CLIENT;
  }

  /** Whether each stream has a share of it: {@link #room}. */
  boolean isShared() {
    return isShared;
  }

  /** The size of the whole window, as far as is known. */
  int mostBytes() {
    return mostBytes;
  }

  /**
   * The bytes that a stream may send.
   *
   * @param unreadBytes that it has sent, and that the peer has not acknowledged on it.
   */
  int room(int unreadBytes) {
    if (!isShared || isOpenToOne) {
      return bytes;
    }
    final long share = (long) TIMES_LEFT * bytes - unread(unreadBytes);
    return share <= 0 ? 0 : (int) (share / (TIMES_LEFT + 1));
  }

  /**
   * The bytes of a stream that may be unread: not more than those of all streams together, as its
   * own window may be opened later than this one.
   */
  int unread(int unreadBytes) {
    return Math.min(unreadBytes, mostBytes - bytes);
  }

  /** Takes bytes that were sent. */
  void take(int sentBytes) {
    bytes -= sentBytes;
  }

  /** Opens the window; false on overflow. */
  boolean widen(int moreBytes) {
    if ((long) bytes + moreBytes > Integer.MAX_VALUE) {
      return false;
    }
    isGivenBackEarly |= bytes < mostBytes && bytes >= mostBytes / (TIMES_LEFT + 1);
    isOpenToOne = false;
    bytes += moreBytes;
    mostBytes = Math.max(mostBytes, bytes);
    return true;
  }

  /** Lets one stream use all of it, unless the peer has shown that it opens the window earlier. */
  void openToOne() {
    isOpenToOne = !isGivenBackEarly;
  }
}
