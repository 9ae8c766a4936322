package dev.weir.proxy.exchange;

import dev.weir.proxy.exchange.ProxiedRequest.State;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;

/**
 * The response of one request on its way to the client, with what the client holds of it; and who
 * says 100 to a client that waits for that.
 */
final class ForwardedResponse {
  private final ProxiedRequest request;
  private boolean expectsContinue;
  private boolean saidContinue;
  private boolean hasStarted;

  ForwardedResponse(ProxiedRequest request) {
    this.request = request;
  }

  /** A new request. */
  void start(IncomingRequest incoming) {
    expectsContinue = incoming.expectContinue();
    saidContinue = false;
    hasStarted = false;
  }

  /** Whether the client still waits for a 100 before it sends the body. */
  boolean expectsContinue() {
    return expectsContinue;
  }

  /** Whether the client has been told how its request was answered. */
  boolean hasStarted() {
    return hasStarted;
  }

  /**
   * Says 100 in the service's stead, if connections are too scarce for one to wait for this body.
   * It is the service's word otherwise (RFC 9110, section 10.1.1).
   *
   * @return whether it has been said.
   */
  boolean sayContinue() {
    if (!request.loop.origin.isScarce()) {
      return false;
    }
    expectsContinue = false;
    saidContinue = true;
    request.client.sayContinue();
    return true;
  }

  /** As {@link ProxiedRequest#informational}. */
  int informational(IncomingResponse incoming) {
    boolean continued = incoming.status() == 100;
    int heldLength = continued && saidContinue ? 0 : request.client.informational(incoming);
    if (continued && expectsContinue) {
      expectsContinue = false;
      // The client was not slow: it waited for this.
      request.times.bodyBegins(request.loop.clock.nowNs());
      request.times.awaitForwardedBody(request.body.hasEnded());
    }
    hold(heldLength);
    return heldLength;
  }

  /** As {@link ProxiedRequest#switched}. */
  void switched(IncomingResponse incoming) {
    hasStarted = true;
    request.record.status(incoming.status());
    request.client.switched(incoming);
    request.state = State.TUNNEL;
    request.loop.observer.tunnelOpened();
    request.tunnel.open();
    request.client.giveBody();
  }

  /** As {@link ProxiedRequest#responseHead}. */
  BodyForm head(IncomingResponse incoming) {
    hasStarted = true;
    request.record.status(incoming.status());
    request.record.responded(request.loop.clock.nowNs());
    return request.client.responseHead(incoming);
  }

  /** As {@link ProxiedRequest#responseData}. */
  int data(ByteBuf bytes, boolean last) {
    request.record.addResponseBytes(bytes.readableBytes());
    if (last && request.state == State.EXCHANGE) {
      request.ending.answered();
      request.client.responseData(bytes, true);
      request.ending.complete();
      return 0;
    }
    if (request.state == State.TUNNEL) {
      int heldLength = request.tunnel.fromService(bytes, last);
      request.tunnel.await();
      request.ending.endTunnelIfDone();
      return heldLength;
    }
    int heldLength = request.client.responseData(bytes, false);
    hold(heldLength);
    return heldLength;
  }

  /** As {@link ProxiedRequest#responseTrailers}. */
  void trailers(RequestView fields) {
    request.ending.answered();
    request.client.responseTrailers(fields);
    request.ending.complete();
  }

  private void hold(int heldLength) {
    if (heldLength > 0) {
      request.held.addResponse(heldLength);
      request.times.awaitClient();
    }
  }

  /** As {@link ProxiedRequest#responseConsumed}. */
  void consumed(int bytes) {
    request.held.addResponse(-bytes);
    if (!request.service.isOpen()) {
      return;
    }
    int ofService = request.tunnel.consumedOfService(bytes);
    if (ofService > 0) {
      request.service.responseConsumed(ofService);
    }
    if (request.held.ofResponse() > 0) {
      request.times.awaitClient(); // it has taken some, and has its time anew for the rest
    } else if (request.state == State.TUNNEL) {
      request.tunnel.await();
    } else {
      request.times.awaitForwardedBody(request.body.hasEnded());
    }
  }
}
