package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.request.DecisionCall;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/** {@code GET /healthcheck}: 200 and {@code OK} while calls are served, otherwise 500. */
public final class HealthEndpoint implements HttpEndpoint {
  private static final byte[] OK = "OK".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NOT_OK = "NOT_OK".getBytes(StandardCharsets.US_ASCII);

  private final BooleanSupplier ready;

  public HealthEndpoint(BooleanSupplier ready) {
    this.ready = ready;
  }

  @Override
  public HttpRoute route() {
    return new HttpRoute("GET", "/healthcheck");
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.HEALTH;
  }

  @Override
  public boolean needsToken() {
    return false;
  }

  @Override
  public void request(HttpCall of) {
    byte[] body = ready.getAsBoolean() ? OK : NOT_OK;
    of.answer(body == OK ? 200 : 500).body(body, body.length).send();
  }
}
