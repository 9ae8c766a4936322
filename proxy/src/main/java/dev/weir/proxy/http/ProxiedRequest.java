package dev.weir.proxy.http;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
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
 * <p>It ends once ({@link #end}). What ends it within a call of the client's side is returned by
 * that call, as a verdict to answer with; what comes later is told to {@link ClientSide#refuse}. In
 * either case it is free for the next request. Once the response has begun, all that ends it early
 * is {@link ClientSide#reset}.
 */
public final class ProxiedRequest implements Asker {
  /**
   * A last resort: whoever decides has deadlines of milliseconds, and tells of its own. Counts from
   * when a held request may pass.
   */
  private static final long VERDICT_NS = TimeUnit.SECONDS.toNanos(10);

  /** A longer wait is taken off the time that the service is told the client gives. */
  private static final long UNTOLD_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private enum State {
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

  private final RequestLoop loop;
  private final ClientSide client;
  private final RequestTimer timer;
  private final EncodedHead head = new EncodedHead();
  private final GatheredBody gathered = new GatheredBody();
  private final BodyPace pace = new BodyPace();
  private final RefundableCharge charge;
  private final RequestRecord record = new RequestRecord();
  private final PassedLimit limit = new PassedLimit();
  private final ServiceLink service = new ServiceLink();

  private State state = State.IDLE;
  private long ticket = Admission.SETTLED;
  private long clientKey;

  /** Whether the charge can still be kept: nothing has been asked for since its verdict. */
  private boolean chargeIsFresh;

  private boolean requestEnded;
  private boolean expectsContinue;
  private boolean saidContinue;
  private boolean responseStarted;
  private boolean responseEnded;

  /** Bytes that were given to the other side, and that it has not consumed. */
  private int requestHeldBytes;

  private int responseHeldBytes;

  public ProxiedRequest(RequestLoop loop, ClientSide client) {
    this.loop = loop;
    this.client = client;
    this.charge = new RefundableCharge(loop.admission);
    this.timer =
        new RequestTimer(loop.deadlines) {
          @Override
          protected void onDeadline() {
            ProxiedRequest.this.onDeadline();
          }
        };
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
      return refused(RefusalReason.DEADLINE_EXCEEDED); // nobody waits for a verdict
    }
    if (loop.origin.isFull(clientKey, incoming.upgrade())) {
      return refused(RefusalReason.UPSTREAM_BUSY); // before anything is charged for it
    }
    ticket = loop.ask(incoming, this, nowNs);
    if (ticket != Admission.SETTLED) {
      loop.origin.encode(incoming, head);
      timer.within(nowNs, VERDICT_NS);
      return null;
    }
    Verdict verdict = loop.admission.verdict();
    if (!verdict.allowed()) {
      return refused(verdict, How.REFUSED_HERE);
    }
    loop.origin.encode(incoming, head);
    return pass(verdict);
  }

  private void reset(IncomingRequest incoming, long nowNs) {
    state = State.DECIDING;
    clientKey = loop.clientKeys.of(incoming.view());
    service.start();
    limit.clear();
    requestEnded = !incoming.hasBody();
    expectsContinue = incoming.expectContinue();
    saidContinue = false;
    responseStarted = false;
    responseEnded = false;
    requestHeldBytes = 0;
    responseHeldBytes = 0;
    record.arrived(nowNs);
    timer.until(deadlineNs(incoming, nowNs));
  }

  /** When the client waits no longer for the response, in the loop's time. */
  static long deadlineNs(IncomingRequest incoming, long nowNs) {
    long timeoutNs = incoming.timeoutNs();
    return timeoutNs < Deadlines.NEVER - nowNs ? nowNs + timeoutNs : Deadlines.NEVER;
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
    pace.passed(length);
    requestEnded |= end;
    int held;
    switch (state) {
      case DECIDING, GATHERING, CONNECTING -> {
        gathered.append(bytes);
        held = length;
      }
      case EXCHANGE, TUNNEL -> held = service.data(bytes, end);
      default -> {
        bytes.release();
        held = 0;
      }
    }
    requestHeldBytes += held;
    return held;
  }

  /**
   * Trailers end the body, behind data of which none was the last. {@link #bodyRead} follows. They
   * reach the service if its protocol has a place for them; in a tunnel, only the end does.
   *
   * @param fields valid during the call; of the view, only bytes and fields are read.
   */
  public void requestTrailers(RequestView fields) {
    requestEnded = true;
    switch (state) {
      case DECIDING, GATHERING, CONNECTING -> gathered.trailers().copy(fields);
      case EXCHANGE -> service.trailers(fields);
      case TUNNEL -> service.data(Unpooled.EMPTY_BUFFER, true);
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
    if (service.failure() != null) {
      return lost(service.failure());
    }
    leaveService(how(reason), RequestEnd.NO_CODE);
    return broken(reason, RequestEnd.NO_CODE);
  }

  /**
   * The client has consumed bytes of the response that had been held.
   *
   * @param bytes 1 or more.
   */
  public void responseConsumed(int bytes) {
    responseHeldBytes -= bytes;
    if (!service.isOpen()) {
      return;
    }
    service.responseConsumed(bytes);
    if (state == State.TUNNEL) {
      awaitTunnel();
    } else {
      awaitBody();
    }
  }

  /**
   * The client is gone, or its side of the exchange.
   *
   * @param errorCode as in {@link ServiceSide#reset}.
   */
  public void clientGone(int errorCode) {
    if (state != State.IDLE) {
      leaveService(How.CLIENT_GONE, errorCode);
      end(How.CLIENT_GONE);
    }
    timer.end();
  }

  @Override
  public void decided(long ofTicket, Verdict verdict) {
    ticket = Admission.SETTLED;
    timer.never();
    try {
      if (!verdict.allowed()) {
        client.refuse(refused(verdict, How.REFUSED_HERE));
        return;
      }
      if (timer.isOver(loop.clock.tick())) {
        client.refuse(refused(RefusalReason.DEADLINE_EXCEEDED));
        return;
      }
      Verdict refusal = pass(verdict);
      if (refusal != null) {
        client.refuse(refusal);
      } else if (state == State.GATHERING) {
        client.bodyWanted();
      }
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  private Verdict pass(Verdict verdict) {
    record.held(verdict.heldNs());
    limit.set(verdict);
    chargeIsFresh = true;
    state = State.GATHERING;
    pace.begin(loop.clock.nowNs());
    return requestEnded ? connect(false) : null;
  }

  /** Waits for the rest of the body, or asks for a connection if enough of it is there. */
  private Verdict gather(boolean cutOff) {
    boolean deservesConnection = requestEnded || gathered.isEnough();
    if (cutOff && !deservesConnection) {
      return refused(RefusalReason.INCOMPLETE_REQUEST);
    }
    if (deservesConnection || expectsContinue && !continues()) {
      return connect(cutOff);
    }
    long nowNs = loop.clock.nowNs();
    long bodyNs = loop.timeouts.bodyNs();
    if (pace.tooSlow(nowNs, bodyNs, BodyPace.MIN_GATHERED_BYTES_PER_SECOND)) {
      return refused(RefusalReason.BODY_TIMEOUT);
    }
    timer.within(nowNs, bodyNs);
    keepFreshCharge(); // there may be no connection when the body is there
    return null;
  }

  /**
   * Says 100 in the service's stead, if connections are too scarce for one to wait for this body.
   * It is the service's word otherwise (RFC 9110, section 10.1.1).
   */
  private boolean continues() {
    if (!loop.origin.isScarce()) {
      return false;
    }
    expectsContinue = false;
    saidContinue = true;
    client.sayContinue();
    return true;
  }

  private void keepFreshCharge() {
    if (chargeIsFresh) {
      chargeIsFresh = false;
      charge.keep();
    }
  }

  private Verdict connect(boolean cutOff) {
    state = State.CONNECTING;
    timer.never();
    switch (loop.origin.open(this, clientKey)) {
      case OPENED -> {
        send(loop.origin.opened());
        return departed(cutOff);
      }
      case QUEUED -> keepFreshCharge();
      case CONNECTING -> {
        // What fails now is the service's doing: the charge stands.
      }
      case BUSY -> {
        keepFreshCharge(); // the last place has gone while the verdict was on its way
        return lost(RefusalReason.UPSTREAM_BUSY);
      }
    }
    return null;
  }

  /** There is a connection for the request, later than it was asked for. */
  public void opened(ServiceSide side) {
    try {
      send(side);
      if (requestEnded) {
        deliver(departed(false));
      } else {
        client.bodyWanted();
        if (state == State.EXCHANGE) {
          record.departed(loop.clock.tick());
        }
      }
    } catch (RuntimeException | Error bug) {
      fail(bug); // nobody else would: it may come in a task of its own
    }
  }

  /** From here on the service may know of the request, and its charge is spent. */
  private void send(ServiceSide side) {
    chargeIsFresh = false;
    charge.letStand();
    state = State.EXCHANGE;
    long nowNs = loop.clock.nowNs();
    record.departed(nowNs); // until it is known when it was sent
    if (timer.hasEnd() && record.totalNs(nowNs) > UNTOLD_WAIT_NS) {
      head.timeLeftNs(timer.leftNs(nowNs));
    }
    service.open(side, head);
    RequestView trailers = gathered.trailers().fields();
    ByteBuf bytes = gathered.take();
    if (bytes != null) {
      int length = requestHeldBytes;
      requestHeldBytes = service.data(bytes, requestEnded && trailers == null);
      if (length > requestHeldBytes) {
        client.requestConsumed(length - requestHeldBytes);
      }
    }
    if (trailers != null) {
      service.trailers(trailers);
      gathered.trailers().discard();
    }
    pace.begin(loop.clock.nowNs());
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
      return lost(service.failure());
    }
    if (!requestEnded) {
      if (cutOff) {
        return abort(RefusalReason.INCOMPLETE_REQUEST);
      }
      long bodyNs = loop.timeouts.bodyNs();
      if (pace.tooSlow(loop.clock.nowNs(), bodyNs, BodyPace.MIN_FORWARDED_BYTES_PER_SECOND)) {
        return abort(RefusalReason.BODY_TIMEOUT);
      }
    }
    awaitBody();
    return service.flush() ? null : lost(service.failure());
  }

  private Verdict tunnelled() {
    if (!service.flush()) {
      return lost(service.failure());
    }
    awaitTunnel();
    if (requestEnded && responseEnded) {
      endTunnel();
    }
    return null;
  }

  /** The service has consumed bytes of the request that it had held. */
  public void requestConsumed(int bytes) {
    requestHeldBytes -= bytes;
    if (state == State.EXCHANGE && !requestEnded) {
      pace.begin(loop.clock.tick()); // while the service did not take it, the client was not slow
      awaitBody();
    }
    client.requestConsumed(bytes);
  }

  /**
   * A response has arrived that another one follows.
   *
   * @return how many bytes the client's side holds, until {@link ServiceSide#responseConsumed}.
   */
  public int informational(IncomingResponse incoming) {
    boolean continued = incoming.status() == 100;
    int held = continued && saidContinue ? 0 : client.informational(incoming);
    if (continued && expectsContinue) {
      expectsContinue = false;
      pace.begin(loop.clock.nowNs()); // the client was not slow: it waited for this
      awaitBody();
    }
    holdResponse(held);
    return held;
  }

  /** The service agrees to a tunnel: all data from here on is the tunnel's, both ways. */
  public void switched(IncomingResponse incoming) {
    responseStarted = true;
    record.status(incoming.status());
    client.switched(incoming);
    state = State.TUNNEL;
    requestEnded = false;
    loop.observer.tunnelOpened();
    awaitTunnel();
    client.bodyWanted();
  }

  /**
   * The head of the final response has arrived.
   *
   * @return how the body is wanted.
   */
  public BodyForm responseHead(IncomingResponse incoming) {
    responseStarted = true;
    record.status(incoming.status());
    record.responded(loop.clock.nowNs());
    return client.responseHead(incoming);
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
    record.addResponseBytes(bytes.readableBytes());
    if (last && state == State.EXCHANGE) {
      service.ended();
      client.responseData(bytes, true);
      complete();
      return 0;
    }
    int held = client.responseData(bytes, last);
    holdResponse(held);
    if (state == State.TUNNEL) {
      awaitTunnel();
      responseEnded |= last;
      if (requestEnded && responseEnded) {
        endTunnel();
      }
    }
    return held;
  }

  /**
   * Trailers end the response, behind a body of the form {@link BodyForm#DATA}. The service's side
   * has ended the exchange before.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  public void responseTrailers(RequestView fields) {
    service.ended();
    client.responseTrailers(fields);
    complete();
  }

  /** Nothing more of the response has arrived for now. */
  public void flushResponse() {
    client.flushResponse();
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
      deliver(lost(reason, errorCode));
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  private void complete() {
    long nowNs = loop.clock.tick();
    loop.observer.completed(
        client.protocol(),
        record.status(),
        record.totalNs(nowNs),
        record.upstreamNs(),
        record.overheadNs(nowNs));
    end(How.COMPLETE);
    client.ended();
  }

  /** Both sides have ended it, and what they sent is on its way. */
  private void endTunnel() {
    service.ended();
    end(How.UPGRADED_AND_CLOSED);
    client.ended();
  }

  private void holdResponse(int held) {
    if (held > 0) {
      responseHeldBytes += held;
      timer.within(loop.clock.nowNs(), loop.timeouts.writeNs());
    }
  }

  /**
   * Gives the client its time anew where it is the rest of the body that is waited for. A client
   * that does not take the response has had its time set when it stopped, and nothing that it sends
   * meanwhile gives it more. What the service does not take, or not answer, it has its own time
   * for.
   */
  private void awaitBody() {
    if (responseHeldBytes > 0) {
      return;
    }
    if (requestEnded || requestHeldBytes > 0) {
      timer.never();
    } else {
      timer.within(loop.clock.nowNs(), loop.timeouts.bodyNs());
    }
  }

  /** Bytes went through the tunnel. They do not excuse a client that takes none. */
  private void awaitTunnel() {
    if (responseHeldBytes == 0) {
      timer.within(loop.clock.nowNs(), loop.timeouts.tunnelIdleNs());
    }
  }

  private void onDeadline() {
    if (timer.isOver(loop.clock.nowNs())) {
      deliver(abort(RefusalReason.DEADLINE_EXCEEDED));
      return;
    }
    switch (state) {
      case DECIDING -> awaitVerdict();
      case GATHERING -> deliver(refused(RefusalReason.BODY_TIMEOUT));
      case EXCHANGE -> {
        if (responseHeldBytes > 0) {
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

  /** The verdict should have come long ago, unless the request is held. */
  private void awaitVerdict() {
    long dueNs = loop.admission.dueNs(ticket);
    long overdueNs = loop.clock.nowNs() - VERDICT_NS;
    if (dueNs == Admission.NOT_HELD || dueNs <= overdueNs) {
      fail(new IllegalStateException("a verdict has not come"));
    } else {
      timer.within(dueNs, VERDICT_NS);
    }
  }

  private void timedOut() {
    leaveService(How.TIMED_OUT, RequestEnd.NO_CODE);
    end(How.TIMED_OUT);
    client.reset(How.TIMED_OUT, RequestEnd.NO_CODE);
  }

  /** Tells the service's side, or whoever is to find one, that the exchange is over. */
  private void leaveService(How how, int errorCode) {
    if (state == State.CONNECTING) {
      loop.origin.forget(this);
    }
    service.reset(how, errorCode);
  }

  /** The service's side has failed, or there is none. */
  private Verdict lost(RefusalReason reason) {
    return lost(reason, RequestEnd.NO_CODE);
  }

  private Verdict lost(RefusalReason reason, int errorCode) {
    service.ended();
    if (reason == RefusalReason.UPSTREAM_BUSY) {
      charge.giveBack();
    }
    return broken(reason, errorCode);
  }

  private Verdict broken(RefusalReason reason, int errorCode) {
    if (!responseStarted) {
      return refused(reason);
    }
    end(how(reason));
    client.reset(how(reason), errorCode);
    return null;
  }

  private Verdict refused(RefusalReason reason) {
    return refused(loop.plain(reason), how(reason));
  }

  private Verdict refused(Verdict verdict, How how) {
    RefusalReason reason = verdict.refusal();
    record.status(reason.httpStatus());
    loop.observer.refused(reason);
    end(how);
    return verdict;
  }

  private static How how(RefusalReason reason) {
    return switch (reason) {
      case UPSTREAM_UNREACHABLE, UPSTREAM_CLOSED, UPSTREAM_MALFORMED -> How.SERVICE_GONE;
      case UPSTREAM_CONNECT_TIMEOUT, UPSTREAM_TIMEOUT, BODY_TIMEOUT, DEADLINE_EXCEEDED ->
          How.TIMED_OUT;
      default -> How.REFUSED_HERE;
    };
  }

  /** The one end of a request, told once. Nothing of it is left. */
  private void end(How how) {
    long awaitedTicket = ticket;
    ticket = Admission.SETTLED;
    state = State.IDLE;
    timer.until(Deadlines.NEVER);
    charge.letStand();
    head.discard();
    gathered.discard();
    loop.observer.requestEnded();
    loop.admission.ended(awaitedTicket, record.describe(loop.end, how, loop.clock.nowNs()));
  }

  private void deliver(Verdict refusal) {
    if (refusal != null) {
      client.refuse(refusal);
    }
  }

  private void fail(Throwable bug) {
    timer.never();
    client.failed(bug);
  }

  /** Whether what comes of the body, or of the tunnel, is wanted now. */
  public boolean wantsBody() {
    return state == State.GATHERING || state == State.EXCHANGE || state == State.TUNNEL;
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
    return requestHeldBytes;
  }

  /** Whether the client still waits for a 100 before it sends the body. */
  public boolean expectsContinue() {
    return expectsContinue;
  }

  /** The limit that it passed. */
  public PassedLimit limit() {
    return limit;
  }
}
