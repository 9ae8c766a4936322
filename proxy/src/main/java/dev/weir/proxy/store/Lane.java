package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.ErrorReply.Remedy;
import dev.weir.scripts.ScriptLimit;

/**
 * The checks that may travel in one call: those of a server, or, in a cluster, of a partition. The
 * first goes at once. While it is away those that come are gathered, and go together when the
 * answer arrives: so nobody waits for a batch to fill, and the batches are as large as the load
 * makes them.
 *
 * <p>One per event loop and server or partition; used by that loop.
 */
final class Lane {
  /** Calls that may be in flight: more than one only if one is full, or waits too long. */
  static final int MAX_IN_FLIGHT = 8;

  /** Checks that have been gathered for so long go with the next that comes. */
  static final long MAX_AGE_NS = 1_000_000;

  private static final String ASKER = "a request that asked the store";

  private final LoopStore store;
  private final StoreLink link;
  private Flight gathering;
  private int inFlight;

  /** Debts that it may carry: {@link Debts} counts them. */
  int debtCount;

  /** Whether the next call has to carry debts: under load there is never a call for them alone. */
  private boolean owes;

  Lane(LoopStore store, StoreLink link) {
    this.store = store;
    this.link = link;
  }

  StoreLink link() {
    return link;
  }

  /** Asks for one request; or returns why there is no decision, and nobody is told. */
  StoreFault ask(
      long ticket,
      StoreKeys keys,
      int first,
      ScriptLimit[] limits,
      long cost,
      boolean coalesces,
      long nowNs) {
    StoreFault fault = obstacle(limits.length, keys.length(first, limits.length), nowNs);
    if (fault != null) {
      store.observer().storeUnavailable(fault);
      return fault;
    }
    gathering.add(ticket, keys, first, limits, cost, coalesces, nowNs);
    store.watch(gathering);
    boolean isOld = nowNs - gathering.firstAskedNs() >= MAX_AGE_NS && inFlight < MAX_IN_FLIGHT;
    if (isOld || isDue()) {
      send(nowNs);
    }
    return null;
  }

  /** Gives back what was granted to some requests at one time, if the server can be reached. */
  void refund(
      StoreKeys keys, int first, ScriptLimit[] limits, long requests, long cost, long chargedAtUs) {
    long nowNs = store.nowNs();
    if (obstacle(limits.length, keys.length(first, limits.length), nowNs) != null) {
      refunded(requests, false);
      return;
    }
    gathering.refund(keys, first, limits, requests, cost, chargedAtUs);
    store.sink().givenBack(keys, first, limits.length, cost);
    if (isDue()) {
      send(nowNs);
    }
  }

  private boolean isDue() {
    return inFlight == 0 || link.breaker().state() == Breaker.State.HALF_OPEN;
  }

  /** Makes room in the flight that gathers; says what stands against it, or null. */
  private StoreFault obstacle(int keyCount, int byteCount, long nowNs) {
    if (!link.takesCalls()) {
      store.refreshMap(); // the server may have been replaced
      return StoreFault.DISCONNECTED;
    }
    boolean full = gathering != null && !gathering.hasRoom(keyCount, byteCount);
    if (full && inFlight >= MAX_IN_FLIGHT || gathering == null && !store.hasFlight()) {
      return StoreFault.FULL;
    }
    // Last: who passes may be the probe, and has to come to a result.
    if (!link.breaker().tryPass(nowNs)) {
      return StoreFault.BREAKER_OPEN;
    }
    if (full) {
      send(nowNs);
    }
    if (gathering == null) {
      gathering = store.takeFlight(this);
    }
    return null;
  }

  /** Charges what has passed without a decision, if the server is there. */
  void settleDebts(long nowNs) {
    if (debtCount > 0 && link.serverTime().isKnown() && store.debts().owes(this, nowNs)) {
      owes = true;
      if (inFlight == 0 && obstacle(1, StoreKeys.MAX_KEY_BYTES, nowNs) == null) {
        send(nowNs);
      }
    }
  }

  private void send(long nowNs) {
    Flight flight = gathering;
    gathering = null;
    if (owes) {
      store.debts().moveTo(flight, this, nowNs);
      owes = debtCount > 0;
    }
    store.observer().storeSent(flight.entryCount(), flight.requestCount());
    write(flight, link, nowNs);
  }

  private void write(Flight flight, StoreLink to, long nowNs) {
    inFlight++;
    flight.prepare(to, nowNs);
    to.write(flight, nowNs);
  }

  boolean tellUnavailable(long ticket, StoreFault fault) {
    assert !store.isAsking() : "a request is told within the question of another";
    store.observer().storeUnavailable(fault);
    try {
      return store.sink().unavailable(ticket, fault);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(ASKER, bug);
      return false;
    }
  }

  /** When a request passed, in the time of the server, or a little earlier. */
  long passedAtUs(long passedNs) {
    return link.serverTime().us(passedNs);
  }

  long nowNs() {
    return store.nowNs();
  }

  /** The server may have charged what had passed before it was asked. */
  void debtsCharged(long requests) {
    store.observer().storeDebts(requests, true);
  }

  /**
   * The refunds of so many requests have come to their end.
   *
   * @param sent whether the server may have executed them.
   */
  void refunded(long requests, boolean sent) {
    store.observer().storeRefunds(requests, sent);
  }

  /** What was refused before the server gave back proves nothing: all that is told by now. */
  void tellGivenBack(Refunds refunds) {
    refunds.tell(store.sink());
  }

  void tellDecided(long ticket, StoreDecision decision) {
    assert !store.isAsking() : "a request is told within the question of another";
    try {
      store.sink().decided(ticket, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught(ASKER, bug);
    }
  }

  /** The first requests of a flight did not get their decision in time. */
  void expired(Flight flight, long nowNs) {
    (flight.link() == null ? link : flight.link()).breaker().failed(nowNs);
  }

  /** Nobody waits for a flight any more; what it gives back still goes. */
  void abandoned(Flight flight) {
    if (flight == gathering) { // and it never left
      flight.dropChecks(store.debts());
      if (flight.refundCount() == 0) {
        gathering = null;
        store.release(flight);
      }
    }
  }

  /** The map of the servers has changed, and this lane is no longer in it: another takes over. */
  void retire() {
    debtCount = 0;
    if (gathering == null) {
      return;
    }
    Lane heir = store.lane(gathering.partition());
    long nowNs = store.tick();
    if (heir != null && heir.link.takesCalls() && heir.link.breaker().tryPass(nowNs)) {
      Flight flight = gathering;
      gathering = null;
      store.observer().storeSent(flight.entryCount(), flight.requestCount());
      write(flight, heir.link, nowNs);
    } else {
      dropGathered(StoreFault.NO_OWNER);
    }
  }

  void dropGathered(StoreFault fault) {
    if (gathering != null) {
      Flight flight = gathering;
      gathering = null;
      end(flight, fault, false);
    }
  }

  private void end(Flight flight, StoreFault fault, boolean executed) {
    flight.fail(fault, executed, store.debts());
    store.release(flight);
  }

  /** The server has answered. */
  void answered(Flight flight) {
    final long nowNs = store.tick();
    inFlight--;
    StoreLink from = flight.link();
    from.answered(nowNs);
    boolean isDecided = flight.error() == null;
    if (isDecided) {
      decided(flight, from, nowNs);
    } else if (!remedy(flight, nowNs)) {
      refused(flight, from, nowNs);
    }
    proceed(nowNs, isDecided);
  }

  private void refused(Flight flight, StoreLink by, long nowNs) {
    ErrorReply error = ErrorReply.of(flight.error());
    store.observer().storeRefused();
    store.health().refused(by.name(), flight.error());
    if (error.remedy() == Remedy.FOLLOW) {
      by.breaker().succeeded(); // it is well, and knows better who has the slot
    } else {
      by.breaker().failed(nowNs);
    }
    StoreFault fault = error == ErrorReply.OOM ? StoreFault.OUT_OF_MEMORY : StoreFault.ERROR_REPLY;
    end(flight, fault, error == ErrorReply.OTHER);
  }

  private void decided(Flight flight, StoreLink from, long nowNs) {
    if (flight.isExpired()) {
      store.observer().storeAnsweredLate();
    } else {
      store.observer().storeAnswered(nowNs - flight.sentNs());
    }
    if (!flight.deliver(store.debts())) {
      flight.fail(StoreFault.MALFORMED_REPLY, true, store.debts());
      from.breaker().failed(nowNs);
      from.reset("an answer that is no decision");
    } else {
      from.serverTime().answered(flight.decidedAtUs(), nowNs);
      if (!flight.isExpired()) {
        from.breaker().succeeded();
      }
    }
    store.release(flight);
  }

  /** Whether the flight is under way again. */
  private boolean remedy(Flight flight, long nowNs) {
    ErrorReply error = ErrorReply.of(flight.error());
    if (error == ErrorReply.MOVED || error.remedy() == Remedy.REFRESH) {
      store.refreshMap();
    }
    if (flight.isAbandoned() && error.remedy() != Remedy.NONE) {
      flight.dropChecks(store.debts()); // none was executed
      if (flight.refundCount() == 0) {
        return false;
      }
    }
    StoreLink from = flight.link();
    if (error.remedy() == Remedy.SEND_SOURCE && flight.trySource()) {
      store.observer().storeResent();
      write(flight, flight.link(), nowNs);
      return true;
    }
    if (error.remedy() == Remedy.SPLIT && flight.entryCount() > 1) {
      from.breaker().succeeded();
      split(flight, nowNs);
      return true;
    }
    if (error.remedy() == Remedy.FOLLOW
        && flight.redirect(error == ErrorReply.ASK) <= LoopStore.MAX_HOPS) {
      from.breaker().succeeded(); // this call ends here, and it may have been the probe
      StoreLink to = store.linkOf(flight.error(), from);
      if (to != null && to.takesCalls() && to.breaker().tryPass(nowNs)) {
        store.observer().storeResent();
        write(flight, to, nowNs);
        return true;
      }
    }
    return false;
  }

  /** Sends every check by itself: those of keys that are nowhere yet may not travel together. */
  private void split(Flight flight, long nowNs) {
    while (flight.refundCount() > 0 && store.hasFlight()) {
      Flight part = store.takeFlight(this);
      flight.moveRefundTo(part);
      store.observer().storeResent();
      write(part, link, nowNs);
    }
    for (int check = 0; check < flight.checkCount() && store.hasFlight(); check++) {
      Flight part = store.takeFlight(this);
      flight.moveTo(part, check);
      if (part.checkCount() == 0) {
        store.release(part);
        continue;
      }
      if (part.requestCount() > 0) {
        store.watch(part);
      }
      store.observer().storeResent();
      write(part, link, nowNs);
    }
    end(flight, StoreFault.ERROR_REPLY, false);
  }

  /** A call has come to its end, and may be told of it. */
  void ended(Flight flight) {
    store.ended().add(flight);
  }

  /** The connection was lost with the flight on it. */
  void lost(Flight flight) {
    inFlight--;
    flight.link().lostCall();
    end(flight, StoreFault.DISCONNECTED, flight.isEncoded());
    proceed(store.tick(), false);
  }

  /** The flight was not written to any connection. */
  void unsent(Flight flight) {
    inFlight--;
    end(flight, StoreFault.DISCONNECTED, false);
    proceed(store.tick(), false);
  }

  /**
   * What was gathered meanwhile goes.
   *
   * @param isDecided whether the call before was: a debt that was not taken would not be now, and
   *     the link offers it again in a while.
   */
  private void proceed(long nowNs, boolean isDecided) {
    if (!link.takesCalls()) {
      dropGathered(StoreFault.DISCONNECTED);
    } else if (inFlight == 0 && gathering != null) {
      send(nowNs);
    } else if (isDecided) {
      settleDebts(nowNs);
    }
  }
}
