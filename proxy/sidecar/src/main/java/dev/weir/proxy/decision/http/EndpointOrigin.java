package dev.weir.proxy.decision.http;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.request.RequestView;
import java.util.List;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;

/** Has HTTP requests answered by endpoints. One per event loop. */
public final class EndpointOrigin implements Origin {
  private static final int MAX_KEPT = 1_000;

  /**
   * The most memory of all requests, heads and bodies. Beyond it only short requests are accepted,
   * as nearly all checks are.
   */
  static final int MAX_HELD_BYTES = 8 << 20;

  private static final int SHORT_BYTES = 5 * 1024;

  /** An exchange with more memory for a head is not reused. */
  private static final int MAX_KEPT_BYTES = 4 * 1024;

  private final List<HttpEndpoint> endpoints;
  private final Predicate<RequestView> isGrpcMethod;
  final DecisionParts parts;
  private final HttpAnswer answer = new HttpAnswer();
  private final FreeList<HttpExchange> free;
  private long heldBytes;

  public EndpointOrigin(
      List<HttpEndpoint> endpoints,
      Predicate<RequestView> isGrpcMethod,
      DecisionParts parts,
      int maxFieldCount) {
    this.endpoints = List.copyOf(endpoints);
    this.isGrpcMethod = isGrpcMethod;
    this.parts = parts;
    free = new FreeList<>(MAX_KEPT, () -> new HttpExchange(this, maxFieldCount));
  }

  /** The endpoint of a request; one that answers with an error, if there is none. */
  HttpEndpoint find(RequestView request) {
    String otherMethods = null;
    for (int i = 0; i < endpoints.size(); i++) {
      HttpEndpoint endpoint = endpoints.get(i);
      switch (endpoint.route().match(request)) {
        case YES -> {
          Tokens tokens = parts.tokens();
          return tokens.areRequired() && endpoint.needsToken() && !tokens.has(request)
              ? PlainEndpoint.NO_TOKEN
              : endpoint;
        }
        case NO_METHOD -> {
          String allowed = endpoint.route().allowed();
          otherMethods = otherMethods == null ? allowed : otherMethods + ", " + allowed;
        }
        case NO_PATH -> {
          // The next one.
        }
      }
    }
    if (otherMethods != null) {
      return PlainEndpoint.noMethod(otherMethods);
    }
    return isGrpcMethod.test(request) ? PlainEndpoint.NO_GRPC : PlainEndpoint.NOT_FOUND;
  }

  /**
   * Whether a target belongs to an endpoint whatever the content type: a proxy's check may have the
   * content type of its client's gRPC call, and must not be answered in gRPC's form, which has
   * status 200 even for a refusal.
   */
  public boolean takes(DirectBuffer target, int offset, int length) {
    for (int i = 0; i < endpoints.size(); i++) {
      if (endpoints.get(i).route().begins(target, offset, length)) {
        return true;
      }
    }
    return false;
  }

  HttpAnswer answer() {
    return answer;
  }

  /**
   * Counts memory of a request, or uncounts it if below 0.
   *
   * @param all memory of the request.
   * @return false if there is too little; it is counted all the same.
   */
  boolean hold(int more, int all) {
    heldBytes += more;
    return heldBytes <= MAX_HELD_BYTES || all <= SHORT_BYTES;
  }

  void give(HttpExchange exchange) {
    if (exchange.memoryBytes() <= MAX_KEPT_BYTES) {
      free.give(exchange);
    }
  }

  @Override
  public boolean forwards() {
    return false;
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return false;
  }

  @Override
  public boolean multiplexes() {
    return false;
  }

  @Override
  public boolean isScarce() {
    return false;
  }

  @Override
  public void encode(IncomingRequest head, EncodedHead out) {
    out.set(HeadCopy.write(head.view()), head, BodyForm.DATA);
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    HttpExchange exchange = free.take();
    exchange.start(request);
    return exchange;
  }

  @Override
  public void forget(ProxiedRequest request) {
    // None waits.
  }

  @Override
  public void closeIdle() {
    // There are no connections.
  }
}
