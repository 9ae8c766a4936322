package dev.weir.proxy.http1;

import dev.weir.proxy.request.TextWriter;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;

/** The reason phrase of a status (RFC 9112, section 4), for responses that come without one. */
public final class ReasonPhrase {
  /** Registered ones that Netty does not know, or knows by an old name. */
  private static final Map<Integer, String> OTHERS =
      Map.of(425, "Too Early", 451, "Unavailable For Legal Reasons", 508, "Loop Detected");

  /** The longest. */
  static final int MAX_BYTES = 40;

  private static final int FIRST_STATUS = 100;
  private static final byte[][] BY_STATUS = new byte[600 - FIRST_STATUS][];

  static {
    for (int i = 0; i < BY_STATUS.length; i++) {
      int status = FIRST_STATUS + i;
      String ofNetty = HttpResponseStatus.valueOf(status).reasonPhrase();
      String phrase = OTHERS.getOrDefault(status, ofNetty);
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
   * @return not to be changed.
   */
  public static byte[] of(int status) {
    return BY_STATUS[status - FIRST_STATUS];
  }
}
