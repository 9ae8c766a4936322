package dev.weir.proxy.admission.hold;

import static dev.weir.proxy.metrics.HoldMetrics.Message.ASK;
import static dev.weir.proxy.metrics.HoldMetrics.Message.END;
import static dev.weir.proxy.metrics.HoldMetrics.Message.RENEWAL;

import dev.weir.proxy.admission.hold.Holder.Applied;
import dev.weir.proxy.admission.hold.StoreHold.State;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;

/**
 * A {@link Holder} with the names of its budgets and the requests that wait for units. One message
 * that asks is under way at most: requests that come meanwhile are asked together in the next one.
 * If they take the same units, the store grants as many as fit; if not, it is asked for the sum,
 * and if that does not fit, for those of them one after the other. A message that only tells what
 * has ended keeps nobody waiting: who asks overtakes it, and its answer is not used. Reused.
 */
final class KeyHolder implements StoreCallback {
  private static final int BYTES_AT_FIRST = 128;
  private static final long LIFE_US = Holder.LIFE_NS / 1_000;

  /** The most units of a limit that requests ask for together. */
  private static final long MOST_TOGETHER = 1L << 50;

  private final HoldKeeper keeper;
  private final Holder numbers = new Holder();
  private final StoreKeys names = new StoreKeys(Holder.MAX_LIMITS, BYTES_AT_FIRST);
  private BudgetGroup group;
  private ScriptLimit[] limits;
  private long key;

  /** Requests that wait or hold units, or were not decided and have not ended. */
  int userCount;

  /** Requests that wait for the next message, in the order of arrival. */
  private StoreHold firstWaiting;

  private StoreHold lastWaiting;

  /** Requests that the message under way asks for. */
  private StoreHold firstAsked;

  private StoreHold lastAsked;

  /** Whether these ask for the sum of their costs, all or none. */
  private boolean isSum;

  /** Units that each request of the message asks for; or the sum. */
  private final long[] asked = new long[Holder.MAX_LIMITS];

  /** The first so many of those that wait were refused together, and are asked for alone. */
  private int refusedTogether;

  /** The number of the last message, by which the answer to one that was overtaken is known. */
  private long lastMessage;

  /** Ends of requests that the store has not confirmed, and those of them that were said. */
  private int endCount;

  private int saidEndCount;

  /** Whether requests are being told what became of them: the next message is sent behind that. */
  private boolean isTelling;

  KeyHolder(HoldKeeper keeper) {
    this.keeper = keeper;
  }

  void begin(long ofKey, BudgetGroup of, StoreKeys keys, int first) {
    assert userCount == 0 : "it is in use";
    key = ofKey;
    group = of;
    limits = of.storeLimits();
    names.clear();
    names.add(keys, first, limits.length);
    refusedTogether = 0;
    numbers.begin(limits.length, keeper.nextId());
  }

  /** Gives up the place. */
  void end() {
    saidEndCount = endCount;
    endsTold();
  }

  private void endsTold() {
    keeper.metrics().endsTold(saidEndCount);
    endCount -= saidEndCount;
    saidEndCount = 0;
  }

  long key() {
    return key;
  }

  BudgetGroup group() {
    return group;
  }

  /** Whether another key may take its place. */
  boolean isFree() {
    return userCount == 0 && !isTelling && numbers.isFree();
  }

  /** Whether it is free, and the store has forgotten it. */
  boolean isOver(long nowNs) {
    return isFree() && numbers.isOver(nowNs);
  }

  /** Asks for the units of a request; returns why there will be no decision, or null. */
  StoreFault ask(StoreHold hold, boolean isFollowed, long nowNs) {
    boolean isAsking = numbers.isUnderWay() && firstAsked != null;
    boolean isNext = !isAsking && !isTelling && firstWaiting == null;
    hold.state = State.WAITING;
    addLast(hold);
    if (!isNext) {
      return null;
    }
    if (numbers.isUnderWay()) {
      numbers.lost(); // overtaken
    }
    StoreFault fault = send(isFollowed, nowNs);
    if (fault != null) {
      firstAsked = null;
      hold.state = State.NOT_HELD;
    }
    return fault;
  }

  private void addLast(StoreHold hold) {
    hold.next = null;
    if (firstWaiting == null) {
      firstWaiting = hold;
    } else {
      lastWaiting.next = hold;
    }
    lastWaiting = hold;
  }

  /**
   * Sends the next message; if that fails, those that it asks for are left to be told. It has the
   * whole deadline of the store, as an answer that comes late is a grant which is lost.
   */
  private StoreFault send(boolean isFollowed, long nowNs) {
    long requests = takeTogether();
    HoldMessage message = keeper.message();
    for (int i = 0; i < limits.length; i++) {
      numbers.reserve(i, requests > 0 && holds(i) ? asked[i] : 0);
    }
    keeper.metrics().sent(requests > 0 ? ASK : numbers.isUnsaid() ? END : RENEWAL);
    saidEndCount = endCount;
    numbers.beginAnewIfFull(keeper.nextId());
    numbers.say(message, requests, nowNs);
    StoreQuestion question = keeper.question().hold(this, ++lastMessage).of(names, 0, limits);
    question.upTo(requests).holder(message.id(), message.sequence(), LIFE_US);
    for (int i = 0; i < limits.length; i++) {
      if (requests > 0) {
        question.cost(i, asked[i]);
      }
      if (holds(i)) {
        question.held(i, message.held(i), message.charged(i), message.mayBeNew());
      }
    }
    if (isFollowed) {
      question.followed();
    }
    return say(question, nowNs);
  }

  private StoreFault say(StoreQuestion question, long nowNs) {
    StoreFault fault;
    try {
      fault = keeper.store().ask(question, nowNs);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a message of what is held", bug);
      numbers.lost(); // whatever of it was written
      return StoreFault.MALFORMED_REPLY;
    }
    if (fault != null) {
      numbers.unsent();
    }
    return fault;
  }

  private boolean holds(int limit) {
    return group.budget(limit).holds();
  }

  /**
   * Takes those that the next message asks for from those that wait.
   *
   * @return how many requests the message asks for, each for {@link #asked}; 0 if nobody waits.
   */
  private long takeTogether() {
    firstAsked = firstWaiting;
    lastAsked = null;
    isSum = false;
    long count = 0;
    while (firstWaiting != null && (lastAsked == null || joins(firstWaiting))) {
      isSum |= lastAsked != null && !firstWaiting.isSameCost(firstAsked, limits.length);
      lastAsked = firstWaiting;
      firstWaiting = firstWaiting.next;
      count++;
      for (int i = 0; i < limits.length; i++) {
        asked[i] = lastAsked == firstAsked ? lastAsked.costs[i] : asked[i] + lastAsked.costs[i];
      }
    }
    if (lastAsked != null) {
      lastAsked.next = null;
    }
    if (isSum || count == 0) {
      return Math.min(count, 1);
    }
    System.arraycopy(firstAsked.costs, 0, asked, 0, limits.length);
    return count;
  }

  /** Whether a request is asked for with those that have been taken. */
  private boolean joins(StoreHold next) {
    boolean fits = refusedTogether == 0 || next.isSameCost(firstAsked, limits.length);
    for (int i = 0; i < limits.length; i++) {
      fits &= asked[i] + next.costs[i] <= MOST_TOGETHER;
    }
    return fits;
  }

  /** Sends a message, if one is due that no request asks for. */
  void renew(long nowNs) {
    if (!isTelling && numbers.isDue(nowNs)) {
      send(false, nowNs);
    }
  }

  /** The units of a request are charged and released as its final costs say. */
  void settle(StoreHold hold) {
    endCount++;
    keeper.metrics().ended();
    for (int i = 0; i < limits.length; i++) {
      if (holds(i)) {
        numbers.settle(i, hold.generation, hold.costs[i], hold.finalCosts[i]);
      }
    }
    if (numbers.isUnsaid() && !isTelling) {
      proceed(true, keeper.nowNs());
    }
  }

  /** Charges later what a request cost about which there was no decision. */
  void owe(StoreHold hold, StoreQuestion question, long nowNs) {
    question.debt().of(names, 0, limits);
    for (int i = 0; i < limits.length; i++) {
      question.cost(i, holds(i) ? hold.finalCosts[i] : hold.costs[i]);
    }
    keeper.store().ask(question, nowNs);
  }

  /** Refunds what a request that does not pass was charged at once; what it held is released. */
  void refundRest(StoreHold hold, StoreQuestion question, long nowNs) {
    for (int i = 0; i < limits.length; i++) {
      if (!holds(i)) {
        question.giveBack(hold.server, hold.decidedAtUs, 0).of(names, i, limits[i].alone());
        keeper.store().ask(question.cost(hold.costs[i]), nowNs);
      }
    }
  }

  @Override
  public void decided(long ticket, StoreDecision decision) {
    if (ticket != lastMessage) {
      return; // overtaken
    }
    long nowNs = keeper.nowNs();
    switch (numbers.answered(worst(decision), decision.granted(), keeper.nextId(), nowNs)) {
      case DECIDED -> {
        endsTold();
        tell(decision);
      }
      case ASK_AGAIN -> {
        keeper.metrics().forgotten();
        putBack();
      }
      case UNUSABLE -> fail(StoreFault.DEADLINE);
    }
    proceed(true, nowNs);
  }

  private Applied worst(StoreDecision decision) {
    Applied worst = Applied.NONE;
    for (int i = 0; i < limits.length; i++) {
      Applied of =
          switch (decision.heldState(i)) {
            case CheckReply.APPLIED -> Applied.APPLIED;
            case CheckReply.OLDER -> Applied.OLDER;
            case CheckReply.FORGOTTEN -> Applied.FORGOTTEN;
            default -> Applied.NONE;
          };
      worst = of.compareTo(worst) > 0 ? of : worst;
    }
    return worst;
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    if (ticket != lastMessage) {
      return false;
    }
    numbers.lost();
    fail(fault);
    proceed(false, keeper.nowNs());
    return false;
  }

  /** Puts those that were asked for in front of those that wait. */
  private void putBack() {
    if (firstAsked != null) {
      lastAsked.next = firstWaiting;
      lastWaiting = firstWaiting == null ? lastAsked : lastWaiting;
      firstWaiting = firstAsked;
      firstAsked = null;
    }
  }

  private void tell(StoreDecision decision) {
    if (isSum && decision.granted() == 0) {
      for (StoreHold hold = firstAsked; hold != null; hold = hold.next) {
        refusedTogether++;
      }
      putBack();
      return;
    }
    long left = isSum ? Long.MAX_VALUE : decision.granted();
    StoreHold next;
    StoreHold hold = firstAsked;
    firstAsked = null;
    isTelling = true;
    for (; hold != null; hold = next) {
      next = hold.next;
      refusedTogether = Math.max(0, refusedTogether - 1);
      boolean isGranted = left-- > 0;
      hold.state = isGranted ? State.HELD : State.NOT_HELD;
      hold.generation = numbers.generation();
      hold.decidedAtUs = decision.decidedAtUs();
      hold.server = decision.server();
      try {
        hold.asker.held(hold.check, isGranted, decision);
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("a request that asked to hold units", bug);
      }
      keeper.told(hold);
    }
    isTelling = false;
  }

  private void fail(StoreFault fault) {
    StoreHold hold = firstAsked;
    firstAsked = null;
    isTelling = true;
    StoreHold next;
    for (; hold != null; hold = next) {
      next = hold.next;
      refusedTogether = Math.max(0, refusedTogether - 1);
      fail(hold, fault);
    }
    isTelling = false;
  }

  private void fail(StoreHold hold, StoreFault fault) {
    hold.state = State.NOT_HELD;
    try {
      hold.asker.notHeld(hold.check, fault);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a request that asked to hold units", bug);
    }
    keeper.told(hold);
  }

  /**
   * Sends the next message, if anybody waits, or there is something to say.
   *
   * @param saysNews whether to say what no request waits for; after a message that was lost that
   *     waits for its time.
   */
  private void proceed(boolean saysNews, long nowNs) {
    while (!isTelling && !numbers.isUnderWay()) {
      if (firstWaiting == null) {
        if (saysNews && numbers.isUnsaid()) {
          send(false, nowNs);
        }
        return;
      }
      StoreFault fault = StoreFault.DEADLINE;
      if (firstWaiting.deadlineNs > nowNs) {
        fault = send(false, nowNs);
      } else {
        takeFirst();
      }
      if (fault != null) {
        fail(fault);
      }
    }
  }

  /** Takes the first that waits alone. */
  private void takeFirst() {
    firstAsked = firstWaiting;
    lastAsked = firstWaiting;
    firstWaiting = firstWaiting.next;
    firstAsked.next = null;
  }
}
