package dev.weir.proxy.exchange;

import dev.weir.proxy.exchange.ProxiedRequest.State;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestEnd.How;
import dev.weir.proxy.request.Verdict;

/**
 * How one request ends, whoever ends it: answered here, whole, cut, or left by its client. All ways
 * lead to {@link #end}, once. A verdict that is returned is for the client's side to answer with,
 * within its call; null says that the response has begun, and has been reset instead.
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
final class RequestEnding {
  private final ProxiedRequest request;

  RequestEnding(ProxiedRequest request) {
    this.request = request;
  }

  /** The request is answered here, for a reason that has nothing to do with a quota. */
  Verdict refused(RefusalReason reason) {
    return refused(request.loop.plain(reason), RequestRecord.how(reason));
  }

  /** The request is answered here. */
  Verdict refused(Verdict verdict, How how) {
    request.record.status(verdict.refusal().httpStatus());
    request.record.refused(verdict.refusal());
    end(how);
    return verdict;
  }

  /** The service's side has failed, or there is none. */
  Verdict lost(RefusalReason reason) {
    return lost(reason, RequestEnd.NO_CODE);
  }

  /**
   * The service's side has failed, or there is none.
   *
   * @param errorCode as in {@link ClientSide#reset}.
   */
  Verdict lost(RefusalReason reason, int errorCode) {
    request.service.ended();
    if (reason == RefusalReason.UPSTREAM_BUSY) {
      request.charge.giveBack();
    }
    return broken(isForTime(reason) ? RefusalReason.DEADLINE_EXCEEDED : reason, errorCode);
  }

  /**
   * Whether the service has broken off as the time that the client gave has passed: it is told of
   * it, and may see that sooner than the next look at deadlines here.
   */
  private boolean isForTime(RefusalReason reason) {
    return reason == RefusalReason.UPSTREAM_CLOSED
        && request.times.hasEnd()
        && request.times.isOver(request.loop.clock.tick());
  }

  /** The client's side cannot go on, or has taken too long. */
  Verdict abort(RefusalReason reason) {
    RefusalReason failure = request.service.failure();
    if (failure != null) {
      return lost(failure);
    }
    leaveService(RequestRecord.how(reason), RequestEnd.NO_CODE);
    return broken(reason, RequestEnd.NO_CODE);
  }

  private Verdict broken(RefusalReason reason, int errorCode) {
    if (!request.response.hasStarted()) {
      return refused(reason);
    }
    end(RequestRecord.how(reason));
    request.client.reset(RequestRecord.how(reason), errorCode);
    return null;
  }

  /** A message of the request may not pass: nothing more goes to the service. */
  Verdict refuseMessage() {
    leaveService(How.REFUSED_HERE, RequestEnd.NO_CODE);
    Verdict verdict = request.body.refusal();
    if (!request.response.hasStarted()) {
      return refused(verdict, How.REFUSED_HERE);
    }
    request.record.refused(verdict.refusal());
    end(How.REFUSED_HERE);
    request.client.refuseRest(verdict);
    return null;
  }

  /**
   * The client is gone, or its side of the exchange.
   *
   * @param errorCode as in {@link ServiceSide#reset}.
   */
  void clientGone(int errorCode) {
    leaveService(How.CLIENT_GONE, errorCode);
    end(How.CLIENT_GONE);
  }

  /** All of the response has been passed on. */
  void complete() {
    request.record.completed(request.client.protocol());
    end(How.COMPLETE);
    request.client.ended();
  }

  /** Ends a tunnel of which both sides have ended theirs: what they sent is on its way. */
  void endTunnelIfDone() {
    if (request.tunnel.hasEnded()) {
      request.service.ended();
      end(How.UPGRADED_AND_CLOSED);
      request.client.ended();
    }
  }

  /** What was waited for has taken too long. */
  void onDeadline() {
    if (request.times.isOver(request.loop.clock.nowNs())) {
      deliver(abort(RefusalReason.DEADLINE_EXCEEDED));
      return;
    }
    switch (request.state) {
      case DECIDING -> awaitVerdict();
      case GATHERING -> deliver(refused(RefusalReason.BODY_TIMEOUT));
      case EXCHANGE -> {
        if (request.held.ofResponse() > 0) {
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
    long dueNs = request.loop.admission.dueNs(request.ticket);
    if (dueNs == Admission.NOT_HELD || request.times.isVerdictLate(dueNs)) {
      fail(new IllegalStateException("a verdict has not come"));
    } else {
      request.times.awaitVerdict(dueNs);
    }
  }

  private void timedOut() {
    leaveService(How.TIMED_OUT, RequestEnd.NO_CODE);
    end(How.TIMED_OUT);
    request.client.reset(How.TIMED_OUT, RequestEnd.NO_CODE);
  }

  /** Tells the service's side, or whoever is to find one, that the exchange is over. */
  private void leaveService(How how, int errorCode) {
    if (request.state == State.CONNECTING) {
      request.loop.origin.forget(request);
    }
    boolean isTold = request.service.reset(how, errorCode);
    if (isTold && how != How.CLIENT_GONE) {
      request.client.brokeOff(); // a client that has gone has counted its own reset
    }
  }

  /**
   * All of the response has come. If the service has not got all of the request, it is told to want
   * no more of it.
   */
  void answered() {
    request.service.ended();
    if (!request.body.hasEnded() || request.tunnel.isAwaited()) {
      request.client.brokeOff();
    }
  }

  /** The one end of a request, told once. Nothing of it is left. */
  private void end(How how) {
    long ofMessage = request.body.end();
    long awaitedTicket = request.ticket == Admission.SETTLED ? ofMessage : request.ticket;
    request.ticket = Admission.SETTLED;
    request.state = State.IDLE;
    request.times.ended();
    request.countOut();
    request.charge.letStand();
    request.forgetHead();
    request.tunnel.end();
    request.record.ended(how, awaitedTicket);
  }

  /**
   * Tells the client's side of what has come later than within a call of its own.
   *
   * @param refusal null if there is nothing to tell.
   */
  void deliver(Verdict refusal) {
    if (refusal != null) {
      request.client.refuse(refusal);
    }
  }

  /** Something of ours has failed: nobody knows how far the request has come. */
  void fail(Throwable bug) {
    request.times.ended();
    request.client.failed(bug);
  }
}
