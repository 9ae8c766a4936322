package dev.weir.proxy.http1;

import dev.weir.proxy.request.TextWriter;
import io.netty.handler.codec.http.HttpResponseStatus;

/** The reason phrase of a status (RFC 9112, section 4), for responses that come without one. */
final class ReasonPhrase {
  /** The longest. */
  static final int MAX_BYTES = 40;

  private static final int FIRST_STATUS = 100;
  private static final byte[][] BY_STATUS = new byte[600 - FIRST_STATUS][];

  static {
    for (int i = 0; i < BY_STATUS.length; i++) {
      String phrase = HttpResponseStatus.valueOf(FIRST_STATUS + i).reasonPhrase();
      boolean isKnown = phrase.indexOf('(') < 0; // the others have their number in it
      BY_STATUS[i] = TextWriter.ascii(isKnown ? phrase : "");
      assert BY_STATUS[i].length <= MAX_BYTES : phrase;
    }
  }

  private ReasonPhrase() {}

  /**
   * The phrase of a status; empty if it is not a known one.
   *
   * @param status 100 to 599.
   */
  static byte[] of(int status) {
    return BY_STATUS[status - FIRST_STATUS];
  }
}
