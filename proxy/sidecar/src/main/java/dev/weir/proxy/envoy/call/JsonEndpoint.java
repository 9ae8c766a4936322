package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.decision.proto.JsonMessage.BadJsonException;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.request.DecisionCall;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * {@code POST /json}: a call in JSON, and its answer, with status 200 or 429; 400 if the body is
 * malformed, 503 if the store gave no decision.
 */
public final class JsonEndpoint implements HttpEndpoint, RateLimitAsker {
  private static final byte[] CONTENT_TYPE = "content-type".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] JSON = "application/json".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TEXT = "text/plain".getBytes(StandardCharsets.US_ASCII);

  private final RateLimiter limiter;
  private final RateLimitErrors errors;
  private final RateLimitCall call = new RateLimitCall();
  private final ProtoWriter written = new ProtoWriter(0);
  private final RequestReader reader = new RequestReader();

  public JsonEndpoint(RateLimiter limiter, RateLimitErrors errors) {
    this.limiter = limiter;
    this.errors = errors;
  }

  @Override
  public HttpRoute route() {
    return new HttpRoute("POST", "/json");
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.HTTP_ENVOY;
  }

  @Override
  public void request(HttpCall of) {
    String fault = read(of.body());
    if (fault != null) {
      errors.ofCaller.increment();
      answer(of, 400, TEXT, (fault + "\n").getBytes(StandardCharsets.UTF_8));
      return;
    }
    RateLimitVerdict asked = limiter.ask(call, this, of, of.arrivedNs());
    if (asked.isOpen()) {
      of.attach(asked);
    } else {
      answer(of, asked);
    }
  }

  /** Reads a body; returns why the call cannot be decided, or null. */
  private String read(DirectBuffer body) {
    try {
      CallFault fault = reader.read(JsonCall.MESSAGE.read(body, written), call);
      return fault == null ? null : fault.text();
    } catch (BadJsonException bad) {
      return bad.getMessage();
    }
  }

  /** A verdict has come late. */
  @Override
  public void decided(Object whose, RateLimitVerdict verdict) {
    HttpCall of = (HttpCall) whose;
    of.attach(null);
    answer(of, verdict);
  }

  private void answer(HttpCall of, RateLimitVerdict verdict) {
    if (verdict.fault() != null) {
      errors.ofStore.increment();
      byte[] text = "the rate limit store gave no decision\n".getBytes(StandardCharsets.US_ASCII);
      answer(of, 503, TEXT, text);
      return;
    }
    answer(of, verdict.isOverLimit() ? 429 : 200, JSON, JsonVerdict.write(verdict));
  }

  private static void answer(HttpCall of, int status, byte[] type, byte[] body) {
    of.answer(status).field(CONTENT_TYPE, type).body(body, body.length).send();
  }

  @Override
  public void cancelled(HttpCall of) {
    if (of.attachment() instanceof RateLimitVerdict asked) {
      asked.leave();
    }
  }
}
