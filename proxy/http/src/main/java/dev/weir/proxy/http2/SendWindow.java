package dev.weir.proxy.http2;

/**
 * The window of one connection for what we send: the bytes that the peer still takes on all streams
 * together (RFC 9113, section 5.2).
 *
 * <p>Streams to a service are different clients' streams, and most services give this window back
 * as their handlers read: so a stream that is not read must not have all of it. A stream may have
 * sent three times what it leaves, of bytes that the service has not given back on it: one alone
 * has three quarters of the window, two have three sevenths each, and however many there are,
 * something is left for the next.
 */
final class SendWindow {
  private static final int TIMES_LEFT = 3;

  private final boolean isShared;
  private int bytes = Setting.DEFAULT_WINDOW_BYTES;

  /** The most that it ever was: all of it, when everything had been given back. */
  private int mostBytes = bytes;

  /** Whether the peer has given some back before more than three quarters were used. */
  private boolean isGivenBackEarly;

  /** Whether one stream may use all: nobody else waits, and the peer may wait for that. */
  private boolean isOpenToOne;

  /**
   * @param role a client's streams to a service have different owners.
   */
  SendWindow(Role role) {
    isShared = role == Role.CLIENT;
  }

  /** Whether each stream has a share of it, which is to be asked for by {@link #room}. */
  boolean isShared() {
    return isShared;
  }

  int bytes() {
    return bytes;
  }

  /** All of it, as far as is known. */
  int mostBytes() {
    return mostBytes;
  }

  /**
   * The bytes that a stream may send.
   *
   * @param unreadBytes that it has sent, and the peer has not given back on it.
   */
  int room(int unreadBytes) {
    if (!isShared || isOpenToOne) {
      return bytes;
    }
    final long share = (long) TIMES_LEFT * bytes - unread(unreadBytes);
    return share <= 0 ? 0 : (int) (share / (TIMES_LEFT + 1));
  }

  /**
   * The bytes of a stream that may not have been read: not more than of all streams together, as
   * its own window may be given back later than this one.
   */
  int unread(int unreadBytes) {
    return Math.min(unreadBytes, mostBytes - bytes);
  }

  /** Some content has been sent. */
  void take(int sentBytes) {
    bytes -= sentBytes;
  }

  /** The peer takes more; false if that is more than can be. */
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

  /** Has a stream use all, if the peer has not shown that it gives some back before. */
  void openToOne() {
    isOpenToOne = !isGivenBackEarly;
  }
}
