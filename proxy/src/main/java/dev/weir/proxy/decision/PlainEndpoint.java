package dev.weir.proxy.decision;

import dev.weir.proxy.request.DecisionCall;
import java.nio.charset.StandardCharsets;

/** Answers requests that nobody else answers, by a problem (RFC 9457). */
final class PlainEndpoint implements HttpEndpoint {
  static final PlainEndpoint NOT_FOUND =
      new PlainEndpoint(404, "Not Found", "There is nothing at this path.");
  static final PlainEndpoint NO_TOKEN = new PlainEndpoint(401, "Unauthorized", Tokens.EXPECTED);
  static final PlainEndpoint NO_METHOD =
      new PlainEndpoint(405, "Method Not Allowed", "This path has another method.");
  static final PlainEndpoint NO_GRPC =
      new PlainEndpoint(
          415, "Unsupported Media Type", "This is a method of gRPC (expected: application/grpc).");
  static final PlainEndpoint TOO_LONG =
      new PlainEndpoint(413, "Content Too Large", "The body is longer than it may be.");

  private static final byte[] CONTENT_TYPE = HttpRoute.ascii("content-type");
  private static final byte[] PROBLEM = HttpRoute.ascii("application/problem+json");

  private final int status;
  private final byte[] body;

  private PlainEndpoint(int status, String title, String detail) {
    this.status = status;
    body =
        """
        {"title":"%s","status":%d,"detail":"%s"}
        """
            .formatted(title, status, detail)
            .getBytes(StandardCharsets.US_ASCII);
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
    HttpAnswer answer = call.answer(status).field(CONTENT_TYPE, PROBLEM);
    if (status == 401) {
      answer.field("www-authenticate", "Bearer");
    }
    answer.body(body, body.length).send();
  }
}
