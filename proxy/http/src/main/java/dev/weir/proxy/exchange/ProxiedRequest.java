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
 * <p>It ends once, by {@link #end}. What ends it within a call of the client's side is returned by
 * that call, as a verdict to answer with; what comes later is told to {@link ClientSide#refuse}. In
 * either case it is free for the next request. Once the response has begun, all that ends it early
 * is {@link ClientSide#reset}, and null is returned.
 *
 * <p>Some ends reset a stream of the service, and servers end a connection on which too many are
 * reset. These are the client's doing:
 *
 * <ul>
 *   <li>{@link #clientGone}: it resets its stream or breaks the protocol there, or its connection
 *       ends;
 *   <li>{@link #abort}: its trailers are too large, its chunks malformed, its body cut off or slow;
 *   <li>{@link #onDeadline}: the time that it gave is over, or it does not take its response, or
 *       uses its tunnel;
 *   <li>{@link #refuseMessage}: it sends a message that may not pass;
 *   <li>{@link #answered}: its request has no end yet, and the whole response has come.
 * </ul>
 *
 * <p>Each is counted twice: by the connection to the service, which is shared with other clients,
 * whatever the cause, and by the client's own connection ({@link ClientSide#brokeOff}), if that has
 * not read the reset itself. A response that is late or malformed is the service's doing, and
 * counts in the first place only.
 */
public final class ProxiedRequest implements VerdictListener {
  /**
   * The service gets a shorter {@code grpc-timeout} if the request has waited here for longer than
   * this.
   */
  private static final long UNTOLD_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private enum State {
    /** There is no request, or it has ended. */
    IDLE,
    /** Waits for the verdict. */
    DECIDING,
    /** The request may pass; waits for its body, or enough of it. */
    GATHERING,
    /** Waits for a connection to the service. */
    CONNECTING,
    /** The request is sent to the service, the response comes back. */
    EXCHANGE,
    TUNNEL
  }

  private final RequestLoop loop;
  private final ClientSide client;
  private final EncodedHead head = new EncodedHead();
  private final HeldBytes held = new HeldBytes();
  private final RequestTimes times;
  private final RefundableCharge charge;
  private final RequestRecord record;
  private final ReportedCosts costs = new ReportedCosts();
  private final PassedLimit limit = new PassedLimit();
  private final ServiceLink service = new ServiceLink();
  private final ForwardedBody body;

  /** The tunnel that the exchange may become; null if no upgrade was asked for. */
  private Tunnel tunnel;

  private State state = State.IDLE;

  /** The ticket of the awaited verdict; {@link Admission#SETTLED} if none is awaited. */
  private long ticket = Admission.SETTLED;

  private long clientKey;

  /**
   * The client behind a trusted proxy for which the request counts; {@link ClientKey#NONE} if it
   * counts for none.
   */
  private long countedKey = ClientKey.NONE;

  /** Whether the client's side has been told that the head waits. */
  private boolean headWaits;

  /** Whether the client still waits for a 100 before it sends the body. */
  private boolean expectsContinue;

  /** Whether Weir has sent 100 instead of the service. */
  private boolean saidContinue;

  /** Whether the head of a response has been passed to the client's side. */
  private boolean hasResponse;

  public ProxiedRequest(RequestLoop loop, ClientSide client) {
    this.loop = loop;
    this.client = client;
    this.charge = new RefundableCharge(loop.admission);
    this.record = new RequestRecord(loop);
    this.times = new RequestTimes(loop, held, this::onDeadline);
    this.body = new ForwardedBody(loop, client, service, held, times, this::messageDecided);
  }

  /**
   * Asks for the verdict on a request, and forwards it if it may pass. The previous request has
   * ended.
   *
   * @param incoming valid during the call.
   * @return the verdict to answer with, if the request is refused at once; otherwise null.
   */
  public Verdict start(IncomingRequest incoming) {
    long nowNs = loop.clock.nowNs();
    begin(incoming, nowNs);
    if (incoming.timeoutNs() == 0) {
      return refused(RefusalReason.DEADLINE_EXCEEDED); // nobody waits for a verdict
    }
    if (incoming.view().peer().trusted() && !counts()) {
      return refused(RefusalReason.TOO_MANY_IN_FLIGHT);
    }
    if (loop.origin.isFull(clientKey, incoming.upgrade())) {
      return refused(RefusalReason.UPSTREAM_BUSY); // before anything is charged for it
    }
    Asked asked = loop.ask(incoming.view(), times.endNs(), this, nowNs);
    Verdict verdict = asked.verdict();
    ticket = asked.ticket();
    head.wantsContent(asked.countsMessages());
    if (verdict != null) {
      if (!verdict.allowed()) {
        return refused(verdict, How.REFUSED_HERE);
      }
      admitted(verdict);
    }
    if (asked.countsMessages()) {
      body.count(incoming.view());
    }
    if (incoming.upgrade()) {
      tunnel = new Tunnel(loop, client, service, held, times, incoming.webSocket());
    }
    loop.origin.encode(incoming, head);
    if (verdict == null) {
      times.awaitVerdict(nowNs);
      headWaits();
      return null;
    }
    Verdict refusal = pass(verdict);
    if (state == State.GATHERING || state == State.CONNECTING) {
      headWaits();
    }
    return refusal;
  }

  private void begin(IncomingRequest incoming, long nowNs) {
    state = State.DECIDING;
    clientKey = loop.clientKeys.of(incoming.view());
    expectsContinue = incoming.expectContinue();
    saidContinue = false;
    hasResponse = false;
    service.start();
    limit.clear();
    costs.start();
    body.start(incoming);
    held.start();
    times.start(incoming, nowNs);
    record.arrived(nowNs);
  }

  /**
   * Counts the request for its client, which is one of many behind a trusted proxy. Other clients
   * are bounded by their connections.
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

  /** Whether the request counts for a client that a trusted proxy has named. */
  public boolean isOfNamedClient() {
    return countedKey != ClientKey.NONE;
  }

  private void headWaits() {
    headWaits = true;
    client.headWaits(head.memoryBytes());
  }

  @Override
  public void decided(long ofTicket, Verdict verdict) {
    assert ofTicket == ticket : "ticket " + ofTicket + " is decided, and " + ticket + " awaited";
    ticket = Admission.SETTLED;
    times.awaitNothing();
    try {
      if (!verdict.allowed()) {
        client.refuse(refused(verdict, How.REFUSED_HERE));
        return;
      }
      admitted(verdict);
      if (times.isOver(loop.clock.tick())) {
        client.refuse(refused(RefusalReason.DEADLINE_EXCEEDED));
        return;
      }
      Verdict refusal = pass(verdict);
      if (refusal != null) {
        client.refuse(refusal);
      } else if (state == State.GATHERING || state == State.EXCHANGE && !body.hasEnded()) {
        client.giveBody();
      }
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  /** The end of the request brings back what a verdict lets it hold, however it ends. */
  private void admitted(Verdict verdict) {
    record.holding(verdict.holding());
    costs.want(verdict.reportedCosts());
    if (costs.wantRequestContent()) {
      head.wantsContent(true);
    }
  }

  private Verdict pass(Verdict verdict) {
    record.held(verdict.heldNs());
    limit.set(verdict);
    charge.taken();
    state = State.GATHERING;
    times.bodyBegins(loop.clock.nowNs());
    return body.hasEnded() || loop.origin.multiplexes() ? connect(false) : null;
  }

  /**
   * Other requests may be started before the body comes: if this one waits for it, its charge is
   * kept now.
   */
  public void bodyComesLater() {
    if (state == State.GATHERING) {
      charge.keep();
    }
  }

  /**
   * Takes over {@code bytes} of the request's body, or of the tunnel. {@link #bodyRead} follows
   * when all bytes that have arrived have been passed.
   *
   * @param end whether they are the last.
   * @return how many of them are held and count against the client's flow-control window, until
   *     {@link ClientSide#requestConsumed}.
   */
  public int data(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    record.addRequestBytes(length);
    times.bodyCame(length);
    int heldLength = length;
    if (awaitsTunnel()) {
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
   * Ends the body with trailers, after data of which none was marked as the last. {@link #bodyRead}
   * follows. The service gets trailers if its protocol has a place for them; a tunnel only ends.
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
   * Continues once all bytes of the body that have arrived have been passed.
   *
   * @param cutOff whether no more will come, though the body has not ended.
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

  /** Waits for the rest of the body, or asks for a connection if enough of it has arrived. */
  private Verdict gather(boolean cutOff) {
    boolean deservesConnection = body.deservesConnection();
    if (cutOff && !deservesConnection) {
      return refused(RefusalReason.INCOMPLETE_REQUEST);
    }
    if (deservesConnection || expectsContinue && !sayContinue()) {
      return connect(cutOff);
    }
    if (times.isGatheredTooSlowly()) {
      return refused(RefusalReason.BODY_TIMEOUT);
    }
    times.awaitGatheredBody();
    charge.keep(); // there may be no connection when the body is there
    return null;
  }

  /**
   * Sends 100 instead of the service, if connections are too scarce for one to wait for this body.
   * Otherwise the service decides (RFC 9110, section 10.1.1).
   *
   * @return whether it has been sent.
   */
  private boolean sayContinue() {
    if (!loop.origin.isScarce()) {
      return false;
    }
    expectsContinue = false;
    saidContinue = true;
    client.sayContinue();
    return true;
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
    charge.keep(); // there may be no connection in the end
    // With BUSY the last place has gone while the verdict was on its way.
    return opening == Origin.Pending.BUSY ? lost(RefusalReason.UPSTREAM_BUSY) : null;
  }

  /** The origin has found the connection that {@link Origin#open} did not have at once. */
  public void opened(ServiceSide side) {
    try {
      send(side);
      if (body.hasEnded()) {
        deliver(departed(false));
      } else {
        client.giveBody();
        if (state == State.EXCHANGE) {
          record.departed(loop.clock.tick());
        }
      }
    } catch (RuntimeException | Error bug) {
      fail(bug); // nobody else would: it may come in a task of its own
    }
  }

  /** Sends the request. From here on the service may know of it, and the charge is not returned. */
  private void send(ServiceSide side) {
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
   * @param bytes of memory in all. Called within {@link ServiceSide#head} and {@link
   *     ServiceSide#data} only.
   */
  public void keeps(int bytes) {
    client.headWaits(bytes);
  }

  /** The verdict on a message has come late. */
  private void messageDecided() {
    deliver(forwarded(false));
  }

  private Verdict departed(boolean cutOff) {
    Verdict refusal = forwarded(cutOff);
    if (state == State.EXCHANGE) {
      record.departed(loop.clock.tick());
    }
    return refusal;
  }

  /** All bytes of the request that have arrived have been passed to the service. */
  private Verdict forwarded(boolean cutOff) {
    if (service.failure() != null) {
      return lost(service.failure());
    }
    if (body.isRefused()) {
      return refuseMessage();
    }
    if (!body.hasEnded()) {
      if (cutOff) {
        return abort(RefusalReason.INCOMPLETE_REQUEST);
      }
      if (times.isForwardedTooSlowly()) {
        record.clientLate();
        return abort(RefusalReason.BODY_TIMEOUT);
      }
    }
    times.awaitForwardedBody(body.hasEnded());
    return service.flush() ? null : lost(service.failure());
  }

  private Verdict tunnelled() {
    if (!service.flush()) {
      return lost(service.failure());
    }
    awaitTunnel();
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
   * Passes on an informational response of the service; another response follows.
   *
   * @return how many bytes the client's side holds, until {@link ServiceSide#responseConsumed}.
   */
  public int informational(IncomingResponse incoming) {
    boolean continued = incoming.status() == 100;
    int heldLength = continued && saidContinue ? 0 : client.informational(incoming);
    if (continued && expectsContinue) {
      expectsContinue = false;
      times.bodyBegins(loop.clock.nowNs()); // the client was not slow: it waited for this
      times.awaitForwardedBody(body.hasEnded());
    }
    return hold(heldLength);
  }

  /**
   * The service accepts the upgrade: all data from here on belongs to the tunnel, in both
   * directions.
   */
  public void switched(IncomingResponse incoming) {
    beginResponse(incoming);
    client.switched(incoming);
    state = State.TUNNEL;
    loop.observer.tunnelOpened();
    tunnel.open();
    client.giveBody();
  }

  /**
   * Passes on the head of the final response.
   *
   * @return the form in which the client's side wants the body.
   */
  public BodyForm responseHead(IncomingResponse incoming) {
    beginResponse(incoming);
    record.responded(loop.clock.nowNs());
    return client.responseHead(incoming, limit, costs.wantResponseContent());
  }

  private void beginResponse(IncomingResponse incoming) {
    hasResponse = true;
    record.status(incoming.status());
    if (costs.areWanted()) {
      costs.head(incoming);
    }
  }

  /**
   * Takes over {@code bytes} of the response's body, in the form that {@link #responseHead}
   * returned, or of the tunnel.
   *
   * @param last whether they are the last. A tunnel's client may still send; any other exchange has
   *     been ended by the service's side before this call.
   * @return how many bytes the client's side holds, until {@link ServiceSide#responseConsumed}.
   */
  public int responseData(ByteBuf bytes, boolean last) {
    record.addResponseBytes(bytes.readableBytes());
    if (state == State.TUNNEL) {
      int heldLength = tunnel.fromService(bytes, last);
      awaitTunnel();
      return heldLength;
    }
    if (costs.areWanted()) {
      costs.content(bytes);
    }
    if (last && state == State.EXCHANGE) {
      answered();
      client.responseData(bytes, true);
      complete();
      return 0;
    }
    return hold(client.responseData(bytes, false));
  }

  /**
   * Ends the response with trailers, after a body of the form {@link BodyForm#DATA}. The service's
   * side has ended the exchange before.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  public void responseTrailers(RequestView fields) {
    if (costs.areWanted()) {
      costs.trailers(fields);
    }
    answered();
    client.responseTrailers(fields);
    complete();
  }

  /** Flushes the response, as nothing more of it has arrived for now. */
  public void flushResponse() {
    client.flushResponse();
  }

  private int hold(int heldLength) {
    if (heldLength > 0) {
      held.addResponse(heldLength);
      times.awaitClient();
    }
    return heldLength;
  }

  /**
   * The client has consumed bytes of the response that had been held.
   *
   * @param bytes 1 or more.
   */
  public void responseConsumed(int bytes) {
    held.addResponse(-bytes);
    if (!service.isOpen()) {
      return;
    }
    int ofService = tunnel == null ? bytes : tunnel.consumedOfService(bytes);
    if (ofService > 0) {
      service.responseConsumed(ofService);
    }
    if (held.ofResponse() > 0) {
      times.awaitClient(); // it has taken some, and has its time anew for the rest
    } else if (state == State.TUNNEL) {
      tunnel.await();
    } else {
      times.awaitForwardedBody(body.hasEnded());
    }
  }

  /** Answers the request here, for a reason that is not a quota. */
  private Verdict refused(RefusalReason reason) {
    return refused(loop.plain(reason), RequestRecord.how(reason));
  }

  /** Answers the request here. */
  private Verdict refused(Verdict verdict, How how) {
    record.status(verdict.httpStatus());
    record.refused(verdict.refusal());
    end(how);
    return verdict;
  }

  /** The service's side has ended the exchange without a complete response. */
  public void serviceReset(RefusalReason reason) {
    serviceReset(reason, RequestEnd.NO_CODE);
  }

  /**
   * The service has reset the exchange without a complete response.
   *
   * @param errorCode as in {@link ClientSide#reset}.
   */
  public void serviceReset(RefusalReason reason, int errorCode) {
    if (service.isCalling()) {
      service.failed(reason);
      return;
    }
    try {
      deliver(lost(reason, errorCode));
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  /**
   * Whether a call of the service's side is under way: a failure within it is acted on when the
   * call has returned.
   */
  public boolean isCallingService() {
    return service.isCalling();
  }

  /** The service's side has failed, or no connection was found. */
  private Verdict lost(RefusalReason reason) {
    return lost(reason, RequestEnd.NO_CODE);
  }

  private Verdict lost(RefusalReason reason, int errorCode) {
    service.ended();
    if (reason == RefusalReason.UPSTREAM_BUSY) {
      charge.giveBack();
      record.departed(RequestEnd.NEVER); // the service has not looked at it
    }
    return broken(isForTime(reason) ? RefusalReason.DEADLINE_EXCEEDED : reason, errorCode);
  }

  /**
   * Whether the service has reset the exchange because the client's {@code grpc-timeout} is over:
   * it gets that field too, and may notice sooner than Weir.
   */
  private boolean isForTime(RefusalReason reason) {
    return reason == RefusalReason.UPSTREAM_CLOSED
        && times.hasEnd()
        && times.isOver(loop.clock.tick());
  }

  /**
   * Ends the request because the client's side cannot go on with it, or a wait was too long.
   *
   * @return the verdict to answer with; null if the response has begun: then it has been {@link
   *     ClientSide#reset}.
   */
  public Verdict abort(RefusalReason reason) {
    RefusalReason failure = service.failure();
    if (failure != null) {
      return lost(failure);
    }
    leaveService(RequestRecord.how(reason), RequestEnd.NO_CODE);
    return broken(reason, RequestEnd.NO_CODE);
  }

  private Verdict broken(RefusalReason reason, int errorCode) {
    if (!hasResponse) {
      return refused(reason);
    }
    end(RequestRecord.how(reason));
    client.reset(RequestRecord.how(reason), errorCode);
    return null;
  }

  /** Refuses the rest of the request, as one of its messages may not pass. */
  private Verdict refuseMessage() {
    leaveService(How.REFUSED_HERE, RequestEnd.NO_CODE);
    Verdict verdict = body.refusal();
    if (!hasResponse) {
      return refused(verdict, How.REFUSED_HERE);
    }
    record.refused(verdict.refusal());
    end(How.REFUSED_HERE);
    client.refuseRest(verdict);
    return null;
  }

  /**
   * The client has disconnected, or reset its stream.
   *
   * @param errorCode as in {@link ServiceSide#reset}.
   */
  public void clientGone(int errorCode) {
    if (state != State.IDLE) {
      leaveService(How.CLIENT_GONE, errorCode);
      end(How.CLIENT_GONE);
    }
    leave();
  }

  /** Leaves the loop's deadlines, as no request follows. */
  public void leave() {
    times.leaveLoop();
  }

  /**
   * Ends the request because what it waits for has not come in time. This is where
   * DEADLINE_EXCEEDED is decided.
   */
  private void onDeadline() {
    if (times.isOver(loop.clock.nowNs())) {
      deliver(abort(RefusalReason.DEADLINE_EXCEEDED));
      return;
    }
    switch (state) {
      case DECIDING -> awaitVerdict();
      case GATHERING -> deliver(refused(RefusalReason.BODY_TIMEOUT));
      case EXCHANGE -> {
        record.clientLate();
        if (held.ofResponse() > 0) {
          timedOut(); // the client does not take its response
        } else {
          deliver(abort(RefusalReason.BODY_TIMEOUT));
        }
      }
      case TUNNEL -> timedOut();
      case IDLE, CONNECTING -> {
        // Neither has a time of its own here.
      }
    }
  }

  /** Ends the request if its verdict is overdue, unless the request is held in a queue. */
  private void awaitVerdict() {
    long dueNs = loop.admission.dueNs(ticket);
    if (dueNs == Admission.NOT_HELD || times.isVerdictLate(dueNs)) {
      fail(new IllegalStateException("a verdict has not come"));
    } else {
      times.awaitVerdict(dueNs);
    }
  }

  private void timedOut() {
    leaveService(How.TIMED_OUT, RequestEnd.NO_CODE);
    end(How.TIMED_OUT);
    client.reset(How.TIMED_OUT, RequestEnd.NO_CODE);
  }

  /** Resets the service's side, or tells the origin that no connection is needed. */
  private void leaveService(How how, int errorCode) {
    if (state == State.CONNECTING) {
      loop.origin.forget(this);
    }
    boolean isTold = service.reset(how, errorCode);
    if (isTold && how != How.CLIENT_GONE) {
      client.brokeOff(); // a client that has gone has counted its own reset
    }
  }

  /**
   * All of the response has arrived. If the service has not received the whole request, its side is
   * reset.
   */
  private void answered() {
    service.ended();
    if (!body.hasEnded() || awaitsTunnel()) {
      client.brokeOff();
    }
  }

  /** All of the response has been passed on. */
  private void complete() {
    record.completed(client.protocol());
    end(How.COMPLETE);
    client.ended();
  }

  /**
   * The service has closed its side of the tunnel and takes no more bytes: the service's side has
   * ended the exchange, and the client keeps what it has received.
   */
  public void serviceWantsNoMore() {
    tunnel.endClientSide();
    endTunnelIfDone();
  }

  private void awaitTunnel() {
    tunnel.await();
    endTunnelIfDone();
  }

  /** Ends a tunnel once both directions have ended. */
  private void endTunnelIfDone() {
    if (tunnel.hasEnded()) {
      service.ended();
      end(How.UPGRADED_AND_CLOSED);
      client.ended();
    }
  }

  /** Ends the request, once, and reports its end. */
  private void end(How how) {
    long ofMessage = body.end();
    long awaitedTicket = ticket == Admission.SETTLED ? ofMessage : ticket;
    ticket = Admission.SETTLED;
    state = State.IDLE;
    if (times.isOver(loop.clock.nowNs())) {
      record.clientLate();
    }
    times.ended();
    if (countedKey != ClientKey.NONE) {
      loop.behindTrusted.leave(countedKey);
      countedKey = ClientKey.NONE;
    }
    charge.letStand();
    headWaits = false; // the client's side lets go of all that it holds
    head.discard();
    if (tunnel != null) {
      tunnel.end();
      tunnel = null;
    }
    record.ended(how, awaitedTicket, costs);
  }

  /**
   * Tells the client's side the outcome of something that came late.
   *
   * @param refusal null if there is nothing to tell.
   */
  private void deliver(Verdict refusal) {
    if (refusal != null) {
      client.refuse(refusal);
    }
  }

  /** Ends the request after an unexpected exception; it is unknown how far it has come. */
  private void fail(Throwable bug) {
    times.ended();
    client.failed(bug);
  }

  /** Whether {@link #data} may be called as bytes of the body or the tunnel arrive. */
  public boolean takesBody() {
    return state == State.GATHERING || state == State.EXCHANGE || state == State.TUNNEL;
  }

  /**
   * Whether {@link #data} has, in the present state, copied or sent the bytes when it returns:
   * {@link ServiceSide#copiesData}.
   */
  public boolean copiesBody() {
    return state == State.EXCHANGE && tunnel == null && body.copies();
  }

  /**
   * Whether {@link #responseData} has, in the present state, copied or sent the bytes when it
   * returns: {@link ServiceSide#copiesData}.
   */
  public boolean copiesResponse() {
    return state == State.EXCHANGE && client.copiesData();
  }

  /** The head as the origin has encoded it. */
  public EncodedHead encoded() {
    return head;
  }

  /** The form in which the service's protocol wants the body. */
  public BodyForm bodyForm() {
    return head.bodyForm();
  }

  /** Whether an upgrade was asked for, and the service has not accepted it. */
  private boolean awaitsTunnel() {
    return tunnel != null && state != State.TUNNEL;
  }

  /** Whether bytes of the body go to a connection to the service as they arrive. */
  public boolean isForwarding() {
    return state == State.EXCHANGE || state == State.TUNNEL;
  }

  /**
   * Bytes of the request that the service has not consumed; above 0, the exchange waits for the
   * service.
   */
  public int requestHeldBytes() {
    return held.ofRequest();
  }

  /** The memory of the body that is gathered until there is a connection to the service. */
  public int gatheredMemoryBytes() {
    return body.gatheredMemoryBytes();
  }

  /**
   * Bytes of the response that the client has not consumed; above 0, the exchange waits for the
   * client.
   */
  public int responseHeldBytes() {
    return held.ofResponse();
  }

  /** Whether the client still waits for a 100 before it sends the body. */
  public boolean expectsContinue() {
    return expectsContinue;
  }
}
