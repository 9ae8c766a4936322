package dev.weir.bench.load;

import dev.weir.bench.load.FieldLines.FieldLine;

/**
 * A request, made once and sent many times.
 *
 * @param head of HTTP/1.1, with everything up to the body.
 * @param fields of HTTP/2, the pseudo fields first: of each its values, which take turns. One, or a
 *     power of two.
 * @param body empty for none. Of gRPC, the message with its five bytes of prefix.
 * @param headMethod whether the method is HEAD, whose answers have no body whatever they say.
 */
public record Request(byte[] head, FieldLine[][] fields, byte[] body, boolean headMethod) {
  public static final byte[] NO_BODY = {};
  private static final byte[] NO_HEAD = {};
  private static final FieldLine[][] NO_FIELDS = {};

  /** A request of HTTP/1.1. */
  public Request(byte[] head, byte[] body, boolean headMethod) {
    this(head, NO_FIELDS, body, headMethod);
  }

  /** A request of HTTP/2. */
  Request(FieldLine[][] fields, byte[] body, boolean headMethod) {
    this(NO_HEAD, fields, body, headMethod);
  }
}
