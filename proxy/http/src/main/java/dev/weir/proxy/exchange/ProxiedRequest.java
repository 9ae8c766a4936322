package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;

/**
 * One request in flight, from its head to the end of its response, whatever protocols carry it:
 * asks for the verdict, gathers the body, asks for a connection, and stands between the two sides
 * while both directions run. Its own side of the client reads bytes and gives them to it. One per
 * request in flight, reused for those that follow.
 *
 * <p>The way of a request: {@link #start}; {@link #decided}, if the verdict comes late; {@link
 * #data}, {@link #requestTrailers} and {@link #bodyRead}, as the body comes; {@link #opened}, if
 * the connection comes late; {@link #responseHead}, {@link #responseData}, {@link
 * #responseTrailers}.
 *
 * <p>It ends once ({@link RequestEnding}). What ends it within a call of the client's side is
 * returned by that call, as a verdict to answer with; what comes later is told to {@link
 * ClientSide#refuse}. In either case it is free for the next request. Once the response has begun,
 * all that ends it early is {@link ClientSide#reset}.
 */
public final class ProxiedRequest implements VerdictListener {
  /** A longer wait is taken off the time that the service is told the client gives. */
  private static final long UNTOLD_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(1);

  enum State {
    /** There is no request, or it has ended. */
    IDLE,
    /** The verdict is awaited. */
    DECIDING,
    /** The request may pass, and its body is awaited, or enough of it. */
    GATHERING,
    /** A connection to the service is awaited. */
    CONNECTING,
    /** The request goes out, the response comes in. */
    EXCHANGE,
    TUNNEL
  }

  final RequestLoop loop;
  final ClientSide client;
  final EncodedHead head = new EncodedHead();
  final HeldBytes held = new HeldBytes();
  final RequestTimes times;
  final RefundableCharge charge;
  final RequestRecord record;
  private final PassedLimit limit = new PassedLimit();
  final ServiceLink service = new ServiceLink();
  final ForwardedBody body;
  final Tunnel tunnel;
  final ForwardedResponse response = new ForwardedResponse(this);
  final RequestEnding ending = new RequestEnding(this);

  State state = State.IDLE;

  /** Of the verdict that is awaited; {@link Admission#SETTLED} if none is. */
  long ticket = Admission.SETTLED;

  private long clientKey;

  /** The client behind a trusted peer that it counts for; {@link ClientKey#NONE} if for none. */
  private long countedKey = ClientKey.NONE;

  /** Whether the charge can still be kept: nothing has been asked for since its verdict. */
  private boolean chargeIsFresh;

  /** Whether the client's side knows that the head waits. */
  private boolean headWaits;

  public ProxiedRequest(RequestLoop loop, ClientSide client) {
    this.loop = loop;
    this.client = client;
    this.charge = new RefundableCharge(loop.admission);
    this.record = new RequestRecord(loop);
    this.times = new RequestTimes(loop, held, ending::onDeadline);
    this.body = new ForwardedBody(loop, client, service, held, times, this::messageDecided);
    this.tunnel = new Tunnel(loop, client, service, held, times);
  }

  /**
   * Asks whether a request may pass, and sends it on if it may. It was counted as started, and the
   * last one has ended.
   *
   * @param incoming valid during the call.
   * @return the verdict to answer with, if it is refused; null if it is under way.
   */
  public Verdict start(IncomingRequest incoming) {
    long nowNs = loop.clock.nowNs();
    reset(incoming, nowNs);
    if (incoming.timeoutNs() == 0) {
      return ending.refused(RefusalReason.DEADLINE_EXCEEDED); // nobody waits for a verdict
    }
    if (incoming.view().peer().trusted() && !counts()) {
      return ending.refused(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    if (loop.origin.isFull(clientKey, incoming.upgrade())) {
      return ending.refused(RefusalReason.UPSTREAM_BUSY); // before anything is charged for it
    }
    Asked asked = loop.ask(incoming.view(), times.endNs(), this, nowNs);
    ticket = asked.ticket();
    if (asked.countsMessages()) {
      body.count(incoming.view());
    }
    head.wantsContent(asked.countsMessages());
    Verdict verdict = asked.verdict();
    if (verdict == null) {
      loop.origin.encode(incoming, head);
      times.awaitVerdict(nowNs);
      headWaits();
      return null;
    }
    if (!verdict.allowed()) {
      return ending.refused(verdict, How.REFUSED_HERE);
    }
    loop.origin.encode(incoming, head);
    Verdict refusal = pass(verdict);
    if (state == State.GATHERING || state == State.CONNECTING) {
      headWaits();
    }
    return refusal;
  }

  /**
   * Counts for its client, who is one of many behind a trusted peer. Other clients have a share of
   * their own by their connections.
   *
   * @return false if the client has as many requests in flight as it may.
   */
  private boolean counts() {
    if (!loop.behindTrusted.hasRoom(clientKey)) {
      return false;
    }
    if (clientKey != ClientKey.NONE) {
      countedKey = clientKey;
      loop.behindTrusted.take(clientKey);
    }
    return true;
  }

  /** Whether it counts for one of the clients behind a trusted peer, whom this one has named. */
  public boolean isOfNamedClient() {
    return countedKey != ClientKey.NONE;
  }

  /** Counts no more, as it has ended. */
  void countOut() {
    if (countedKey != ClientKey.NONE) {
      loop.behindTrusted.leave(countedKey);
      countedKey = ClientKey.NONE;
    }
  }

  private void headWaits() {
    headWaits = true;
    client.headWaits(head.memoryBytes());
  }

  /** The request has ended, and its client's side lets go of all that it holds. */
  void forgetHead() {
    headWaits = false;
    head.discard();
  }

  private void reset(IncomingRequest incoming, long nowNs) {
    state = State.DECIDING;
    clientKey = loop.clientKeys.of(incoming.view());
    service.start();
    limit.clear();
    response.start(incoming);
    body.start(incoming);
    tunnel.start(incoming);
    held.start();
    times.start(incoming, nowNs);
    record.arrived(nowNs);
  }

  /**
   * Takes over {@code bytes} of the request's body, or of the tunnel. {@link #bodyRead} follows
   * when all has been given that has come.
   *
   * @param end whether they are the last.
   * @return how many of them are held and count against the client, until {@link
   *     ClientSide#requestConsumed}.
   */
  public int data(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    record.addRequestBytes(length);
    times.bodyCame(length);
    int heldLength = length;
    if (tunnel.isAwaited()) {
      tunnel.hold(bytes, end);
    } else {
      switch (state) {
        case DECIDING, GATHERING, CONNECTING -> body.gather(bytes, end);
        case EXCHANGE -> heldLength = body.forward(bytes, end);
        case TUNNEL -> heldLength = tunnel.fromClient(bytes, end);
        case IDLE -> {
          bytes.release();
          heldLength = 0;
        }
      }
    }
    held.addRequest(heldLength);
    return heldLength;
  }

  /**
   * Trailers end the body, behind data of which none was the last. {@link #bodyRead} follows. They
   * reach the service if its protocol has a place for them; in a tunnel, only the end does.
   *
   * @param fields valid during the call; of the view, only bytes and fields are read.
   */
  public void requestTrailers(RequestView fields) {
    switch (state) {
      case DECIDING, GATHERING, CONNECTING -> body.gatherTrailers(fields);
      case EXCHANGE -> body.forwardTrailers(fields);
      case TUNNEL -> tunnel.fromClient(Unpooled.EMPTY_BUFFER, true);
      case IDLE -> {
        // It has ended before they came.
      }
    }
  }

  /**
   * All has been given that has come of the body: goes on with it.
   *
   * @param cutOff whether no more will come, though that was not all.
   * @return the verdict to answer with, if this ends the request; null if it goes on, or has been
   *     {@link ClientSide#reset}.
   */
  public Verdict bodyRead(boolean cutOff) {
    return switch (state) {
      case GATHERING -> gather(cutOff);
      case EXCHANGE -> forwarded(cutOff);
      case TUNNEL -> tunnelled();
      case IDLE, DECIDING, CONNECTING -> null;
    };
  }

  /**
   * Ends the request, as the client's side cannot go on with it.
   *
   * @return the verdict to answer with; null if the response has begun: it has been {@link
   *     ClientSide#reset}.
   */
  public Verdict abort(RefusalReason reason) {
    return ending.abort(reason);
  }

  /**
   * The client has consumed bytes of the response that had been held.
   *
   * @param bytes 1 or more.
   */
  public void responseConsumed(int bytes) {
    response.consumed(bytes);
  }

  /**
   * The client is gone, or its side of the exchange.
   *
   * @param errorCode as in {@link ServiceSide#reset}.
   */
  public void clientGone(int errorCode) {
    if (state != State.IDLE) {
      ending.clientGone(errorCode);
    }
    leave();
  }

  /** No request follows. */
  public void leave() {
    times.leave();
  }

  @Override
  public void decided(long ofTicket, Verdict verdict) {
    assert ofTicket == ticket : "ticket " + ofTicket + " is decided, and " + ticket + " awaited";
    ticket = Admission.SETTLED;
    times.awaitNothing();
    try {
      if (!verdict.allowed()) {
        client.refuse(ending.refused(verdict, How.REFUSED_HERE));
        return;
      }
      if (times.isOver(loop.clock.tick())) {
        client.refuse(ending.refused(RefusalReason.DEADLINE_EXCEEDED));
        return;
      }
      Verdict refusal = pass(verdict);
      if (refusal != null) {
        client.refuse(refusal);
      } else if (state == State.GATHERING || state == State.EXCHANGE && !body.hasEnded()) {
        client.giveBody();
      }
    } catch (RuntimeException | Error bug) {
      ending.fail(bug);
    }
  }

  private Verdict pass(Verdict verdict) {
    record.held(verdict.heldNs());
    limit.set(verdict);
    chargeIsFresh = true;
    state = State.GATHERING;
    times.bodyBegins(loop.clock.nowNs());
    return body.hasEnded() || loop.origin.multiplexes() ? connect(false) : null;
  }

  /** Waits for the rest of the body, or asks for a connection if enough of it is there. */
  private Verdict gather(boolean cutOff) {
    boolean deservesConnection = body.deservesConnection();
    if (cutOff && !deservesConnection) {
      return ending.refused(RefusalReason.INCOMPLETE_REQUEST);
    }
    if (deservesConnection || response.expectsContinue() && !response.sayContinue()) {
      return connect(cutOff);
    }
    if (times.isGatheredTooSlowly()) {
      return ending.refused(RefusalReason.BODY_TIMEOUT);
    }
    times.awaitGatheredBody();
    keepFreshCharge(); // there may be no connection when the body is there
    return null;
  }

  private void keepFreshCharge() {
    if (chargeIsFresh) {
      chargeIsFresh = false;
      charge.keep();
    }
  }

  private Verdict connect(boolean cutOff) {
    state = State.CONNECTING;
    times.awaitNothing();
    Origin.Opening opening = loop.origin.open(this, clientKey);
    ServiceSide side = opening.side();
    if (side != null) {
      send(side);
      return departed(cutOff);
    }
    if (opening != Origin.Pending.CONNECTING) { // what fails in that is the service's doing
      keepFreshCharge();
    }
    // With BUSY the last place has gone while the verdict was on its way.
    return opening == Origin.Pending.BUSY ? ending.lost(RefusalReason.UPSTREAM_BUSY) : null;
  }

  /** There is a connection for the request, later than it was asked for. */
  public void opened(ServiceSide side) {
    try {
      send(side);
      if (body.hasEnded()) {
        ending.deliver(departed(false));
      } else {
        client.giveBody();
        if (state == State.EXCHANGE) {
          record.departed(loop.clock.tick());
        }
      }
    } catch (RuntimeException | Error bug) {
      ending.fail(bug); // nobody else would: it may come in a task of its own
    }
  }

  /** From here on the service may know of the request, and its charge is spent. */
  private void send(ServiceSide side) {
    chargeIsFresh = false;
    charge.letStand();
    if (headWaits) {
      headWaits = false;
      client.headWaits(0);
    }
    state = State.EXCHANGE;
    long nowNs = loop.clock.nowNs();
    record.departed(nowNs); // until it is known when it was sent
    if (times.hasEnd() && record.totalNs(nowNs) > UNTOLD_WAIT_NS) {
      head.timeLeftNs(times.leftNs(nowNs));
    }
    service.open(side, head);
    body.forwardGathered();
    times.bodyBegins(loop.clock.nowNs());
  }

  /**
   * The service's side has copied the request into memory of its own, and keeps it until the end.
   *
   * @param bytes of memory, all that there is; within {@link ServiceSide#head} and {@link
   *     ServiceSide#data} only.
   */
  public void keeps(int bytes) {
    client.headWaits(bytes);
  }

  /** The verdict on a message has come late. */
  private void messageDecided() {
    ending.deliver(forwarded(false));
  }

  private Verdict departed(boolean cutOff) {
    Verdict refusal = forwarded(cutOff);
    if (state == State.EXCHANGE) {
      record.departed(loop.clock.tick());
    }
    return refusal;
  }

  /** What there is of the request has been given to the service. */
  private Verdict forwarded(boolean cutOff) {
    if (service.failure() != null) {
      return ending.lost(service.failure());
    }
    if (body.isRefused()) {
      return ending.refuseMessage();
    }
    if (!body.hasEnded()) {
      if (cutOff) {
        return ending.abort(RefusalReason.INCOMPLETE_REQUEST);
      }
      if (times.isForwardedTooSlowly()) {
        return ending.abort(RefusalReason.BODY_TIMEOUT);
      }
    }
    times.awaitForwardedBody(body.hasEnded());
    return service.flush() ? null : ending.lost(service.failure());
  }

  private Verdict tunnelled() {
    if (!service.flush()) {
      return ending.lost(service.failure());
    }
    tunnel.await();
    ending.endTunnelIfDone();
    return null;
  }

  /** The service has consumed bytes of the request that it had held. */
  public void requestConsumed(int bytes) {
    held.addRequest(-bytes);
    if (state == State.EXCHANGE && !body.hasEnded()) {
      times.bodyBegins(
          loop.clock.tick()); // while the service did not take it, the client was not slow
      times.awaitForwardedBody(body.hasEnded());
    }
    client.requestConsumed(bytes);
  }

  /**
   * A response has arrived that another one follows.
   *
   * @return how many bytes the client's side holds, until {@link ServiceSide#responseConsumed}.
   */
  public int informational(IncomingResponse incoming) {
    return response.informational(incoming);
  }

  /** The service agrees to a tunnel: all data from here on is the tunnel's, both ways. */
  public void switched(IncomingResponse incoming) {
    response.switched(incoming);
  }

  /**
   * The head of the final response has arrived.
   *
   * @return how the body is wanted.
   */
  public BodyForm responseHead(IncomingResponse incoming) {
    return response.head(incoming);
  }

  /**
   * Takes over {@code bytes} of the body, in the form that {@link #responseHead} asked for, or of
   * the tunnel.
   *
   * @param last whether they are the last. In a tunnel the client may still send; else the
   *     service's side has ended the exchange before.
   * @return how many bytes the client's side holds, until {@link ServiceSide#responseConsumed}.
   */
  public int responseData(ByteBuf bytes, boolean last) {
    return response.data(bytes, last);
  }

  /**
   * Trailers end the response, behind a body of the form {@link BodyForm#DATA}. The service's side
   * has ended the exchange before.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  public void responseTrailers(RequestView fields) {
    response.trailers(fields);
  }

  /** Nothing more of the response has arrived for now. */
  public void flushResponse() {
    client.flushResponse();
  }

  /**
   * The service, which has ended its side of the tunnel, takes no more from the client: the
   * service's side has ended the exchange, and the client keeps what it was sent.
   */
  public void serviceWantsNoMore() {
    tunnel.endClientSide();
    ending.endTunnelIfDone();
  }

  /** There will be no response, or no more of it: the service's side has ended the exchange. */
  public void serviceReset(RefusalReason reason) {
    serviceReset(reason, RequestEnd.NO_CODE);
  }

  /**
   * There will be no response, or no more of it: the service has reset the exchange.
   *
   * @param errorCode as in {@link ClientSide#reset}.
   */
  public void serviceReset(RefusalReason reason, int errorCode) {
    try {
      ending.deliver(ending.lost(reason, errorCode));
    } catch (RuntimeException | Error bug) {
      ending.fail(bug);
    }
  }

  /** Whether the body, or the tunnel's bytes, are to be given as they come. */
  public boolean takesBody() {
    return state == State.GATHERING || state == State.EXCHANGE || state == State.TUNNEL;
  }

  /** Whether {@link #data} now does as {@link ServiceSide#copiesData} says. */
  public boolean copiesBody() {
    return state == State.EXCHANGE && !tunnel.isAwaited() && body.copies();
  }

  /** Whether {@link #responseData} now does as {@link ServiceSide#copiesData} says. */
  public boolean copiesResponse() {
    return state == State.EXCHANGE && client.copiesData();
  }

  /** The head as the origin has written it. */
  public EncodedHead encoded() {
    return head;
  }

  /** How the body is to come: as the service's protocol takes it. */
  public BodyForm bodyForm() {
    return head.bodyForm();
  }

  /** Whether all data is a tunnel's. */
  public boolean isTunnel() {
    return state == State.TUNNEL;
  }

  /** Whether a connection to the service takes what comes of the body. */
  public boolean isForwarding() {
    return state == State.EXCHANGE || state == State.TUNNEL;
  }

  /** Bytes of the request that the service has not consumed: above 0 it is the one to wait for. */
  public int requestHeldBytes() {
    return held.ofRequest();
  }

  /** The memory of the body that is gathered until there is a connection to the service. */
  public int gatheredMemoryBytes() {
    return body.gatheredMemoryBytes();
  }

  /** Bytes of the response that the client has not consumed: above 0 the service waits. */
  public int responseHeldBytes() {
    return held.ofResponse();
  }

  /** Whether the client still waits for a 100 before it sends the body. */
  public boolean expectsContinue() {
    return response.expectsContinue();
  }

  /** The limit that it passed. */
  public PassedLimit limit() {
    return limit;
  }
}
