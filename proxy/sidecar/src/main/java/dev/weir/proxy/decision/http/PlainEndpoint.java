package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.DecisionCall;

/** Answers requests without an endpoint by a problem (RFC 9457). */
final class PlainEndpoint implements HttpEndpoint {
  static final PlainEndpoint NOT_FOUND =
      new PlainEndpoint(404, "Not Found", "There is nothing at this path.");
  static final PlainEndpoint NO_TOKEN =
      new PlainEndpoint(401, "Unauthorized", Tokens.EXPECTED, "www-authenticate", "Bearer");
  static final PlainEndpoint NO_GRPC =
      new PlainEndpoint(
          415, "Unsupported Media Type", "This is a method of gRPC (expected: application/grpc).");
  static final PlainEndpoint NO_ROOM =
      new PlainEndpoint(
          503, "Service Unavailable", "Bodies of other requests take all the room that there is.");

  private final int status;
  private final String title;
  private final String detail;

  /** A field that the status requires, and its value; null for none. */
  private final String field;

  private final String value;

  private PlainEndpoint(int status, String title, String detail) {
    this(status, title, detail, null, null);
  }

  private PlainEndpoint(int status, String title, String detail, String field, String value) {
    this.status = status;
    this.field = field;
    this.value = value;
    this.title = title;
    this.detail = detail;
  }

  /** Answers requests whose bodies are longer than so many bytes. */
  static PlainEndpoint tooLong(int maxBytes) {
    return new PlainEndpoint(
        413, "Content Too Large", "body: too long (expected: at most " + maxBytes + " bytes)");
  }

  /**
   * Answers requests of a path that has other methods.
   *
   * @param allowed such as {@code GET, POST}.
   */
  static PlainEndpoint noMethod(String allowed) {
    return new PlainEndpoint(
        405,
        "Method Not Allowed",
        "This path has other methods: " + allowed + ".",
        "allow",
        allowed);
  }

  @Override
  public HttpRoute route() {
    throw new IllegalStateException("it is found by no path");
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.OTHER;
  }

  @Override
  public void request(HttpCall call) {
    HttpAnswer answer = call.answer(status).problem(title, detail);
    if (field != null) {
      answer.field(field, value);
    }
    answer.send();
  }
}
