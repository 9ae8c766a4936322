package dev.weir.bench.load;

/**
 * A request as bytes, made once and sent many times.
 *
 * @param head of HTTP/1.1, with everything up to the body; or of HTTP/2, a field block that neither
 *     uses nor changes the dynamic table.
 * @param body empty for none. Of gRPC, the message with its five bytes of prefix.
 * @param headMethod whether the method is HEAD, whose answers have no body whatever they say.
 */
record Request(byte[] head, byte[] body, boolean headMethod) {
  static final byte[] NO_BODY = {};
}
