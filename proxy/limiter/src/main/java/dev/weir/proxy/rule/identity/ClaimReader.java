package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.PairReader;
import org.agrona.MutableDirectBuffer;

/** Reads the claims of the token that a request has. One per event loop. */
public interface ClaimReader {
  /** The result if the request has no token, or its token has no such claim. */
  int ABSENT = PairReader.ABSENT;

  /** The result if the claim is there, but names nobody: it is a list, for example. */
  int NO_NAME = PairReader.TWICE;

  /** Reads no token. No rule asks it, as rules that do need settings. */
  ClaimReader NONE =
      new ClaimReader() {
        @Override
        public RefusalReason read(RequestView request) {
          return null;
        }

        @Override
        public int claim(byte[] name, MutableDirectBuffer target, int at) {
          return ABSENT;
        }
      };

  /**
   * Finds and verifies the token of a request.
   *
   * @return null, also if there is none; or the reason to refuse the request.
   */
  RefusalReason read(RequestView request);

  /**
   * Copies a claim of the token that was {@linkplain #read} last to {@code target}, which has room
   * for a head.
   *
   * @return the value's length, {@link #ABSENT} or {@link #NO_NAME}.
   */
  int claim(byte[] name, MutableDirectBuffer target, int at);
}
