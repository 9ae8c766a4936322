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
 * has ended keeps nobody waiting: who asks overtakes it, and its answer is not used.
 *
 * <p>In mode leased a message also asks for units in hand, as many as {@link HandAim} says.
 * Requests take these without a message, and what they do not use goes back into the hand. Ends are
 * then told, and what nobody has needed is released, within a quarter of a life. Reused.
 */
final class KeyHolder implements StoreCallback {
  private static final int BYTES_AT_FIRST = 128;
  private static final long LIFE_US = Holder.LIFE_NS / 1_000;

  /** The most units of a limit that requests ask for together. */
  private static final long MOST_TOGETHER = 1L << 50;

  private final HoldKeeper keeper;
  private final Holder numbers = new Holder();
  private final HandAim aim = new HandAim();
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

  /** The fewest units of each limit that were in hand, while they are looked at. */
  private final long[] least = new long[Holder.MAX_LIMITS];

  /** The number of the last message, by which the answer to one that was overtaken is known. */
  private long lastMessage;

  /** Ends of requests that the store has not confirmed, and those of them that were said. */
  private int endCount;

  private int saidEndCount;

  /** Requests beside these that the message asks for, to have their units in hand. */
  private long wanted;

  /** Units that the last request took of each limit. */
  private final long[] usual = new long[Holder.MAX_LIMITS];

  /** The server that has the record of what is in hand. */
  private long server;

  /** Whether units were released that others may wait for. */
  private boolean isUrgent;

  /** Units in hand, as they are counted. */
  private long countedInHand;

  /** The store's last figures: of which limit, units left, and when they are all back. */
  private int notedLimit;

  private long notedRemaining;
  private long notedResetAtNs;

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
    server = 0;
    isUrgent = false;
    numbers.begin(limits.length, keeper.nextId());
    aim.begin(of.handTerms());
  }

  /** Goes on for requests of other rules, of which these limits are the same. */
  void use(BudgetGroup of) {
    group = of;
    limits = of.storeLimits();
    aim.use(of.handTerms());
    releaseUnlessKept();
  }

  /** Gives up the place. */
  void end() {
    saidEndCount = endCount;
    endsTold();
    countInHand();
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

  /** Counts the arrival of a request, whether or not it passes. */
  void arrived(long nowNs) {
    aim.arrived(nowNs);
  }

  /** Takes the units of a request from those in hand; false if there are too few. */
  boolean take(StoreHold hold, long nowNs) {
    if (!takes(hold, nowNs)) {
      return false;
    }
    tend(nowNs);
    return true;
  }

  private boolean takes(StoreHold hold, long nowNs) {
    if (!aim.isOn() || !numbers.take(hold.costs, nowNs, keeper.wallNs())) {
      return false;
    }
    hold.state = State.HELD;
    hold.generation = numbers.generation();
    setUsual(hold);
    countInHand();
    return true;
  }

  private void setUsual(StoreHold hold) {
    System.arraycopy(hold.costs, 0, usual, 0, limits.length);
  }

  /** Units of a limit that are in hand. */
  long inHand(int limit) {
    return numbers.inHand(limit);
  }

  /** Requests that there are units in hand for. */
  private long requestsInHand() {
    long requests = Long.MAX_VALUE;
    for (int i = 0; i < limits.length; i++) {
      requests = Math.min(requests, numbers.inHand(i) / usual[i]);
    }
    return requests;
  }

  /** Whether a fifth of the aim is in hand, or less. */
  private boolean isAlmostEmpty() {
    return 5 * requestsInHand() <= aim.requests();
  }

  /** Units of a limit for so many requests. */
  private long unitsOf(int limit, long requests) {
    return requests > MOST_TOGETHER / usual[limit] ? MOST_TOGETHER : requests * usual[limit];
  }

  /** Keeps what is in hand as it is to be: told, looked at, and filled up. */
  private void tend(long nowNs) {
    if (!aim.isOn() || isTelling || numbers.isUnderWay()) {
      return;
    }
    if (aim.isLookDue(nowNs)) {
      look(nowNs);
      if (numbers.isUnsaid()) {
        sendAhead(nowNs);
      }
    } else if (aim.mayAskAhead(nowNs) && isAlmostEmpty()) {
      ranOut(nowNs);
      sendAhead(nowNs);
    }
  }

  private void ranOut(long nowNs) {
    aim.ranOut(nowNs);
    releaseUnlessKept();
  }

  private void sendAhead(long nowNs) {
    if (send(false, nowNs) != null) {
      aim.pause(nowNs);
    }
  }

  /** Releases what nobody has needed since the last look, down to the aim. */
  private void look(long nowNs) {
    long idle = Long.MAX_VALUE;
    for (int i = 0; i < limits.length; i++) {
      least[i] = numbers.look(i);
      idle = Math.min(idle, least[i] / usual[i]);
    }
    aim.look(idle, nowNs);
    for (int i = 0; aim.isOn() && i < limits.length; i++) {
      long beyond = numbers.inHand(i) - unitsOf(i, aim.requests());
      numbers.release(i, Math.max(0, Math.min(least[i], beyond)));
    }
    releaseUnlessKept();
  }

  private void releaseUnlessKept() {
    if (!aim.isOn()) {
      numbers.releaseHand();
    }
    countInHand();
  }

  /** Keeps nothing of what another server had granted: it may be in no record any more. */
  void serverChanged(long now) {
    if (server != 0 && server != now) {
      aim.stop();
      releaseUnlessKept();
    }
  }

  /** The server of its budgets; 0 if it is unknown. */
  long serverNow() {
    return keeper.store().server(names.partition(0));
  }

  /** Keeps nothing any more, and says so. */
  void stopKeeping(long nowNs) {
    aim.use(null);
    releaseUnlessKept();
    if (numbers.isUnsaid()) {
      proceed(true, nowNs);
    }
  }

  private void countInHand() {
    long units = 0;
    for (int i = 0; i < limits.length; i++) {
      units += numbers.inHand(i);
    }
    keeper.metrics().inHand(units - countedInHand);
    countedInHand = units;
  }

  /** The limit that the store's last figures were about. */
  int notedLimit() {
    return notedLimit;
  }

  /** Units of it that the store had left then, and those in hand now. */
  long remaining() {
    return notedRemaining + numbers.inHand(notedLimit);
  }

  /** When all of it is back. */
  long resetAtNs() {
    return notedResetAtNs;
  }

  /** Asks for the units of a request; returns why there will be no decision, or null. */
  StoreFault ask(StoreHold hold, boolean isFollowed, long nowNs) {
    boolean isAsking = numbers.isUnderWay() && firstAsked != null;
    boolean isNext = !isAsking && !isTelling && firstWaiting == null;
    hold.state = State.WAITING;
    setUsual(hold);
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
    if (requests > 0 && !keeper.isCrowded()) {
      ranOut(nowNs);
    }
    isUrgent = false;
    wanted = isSum ? 0 : aim.keep(aim.isOn() ? requestsInHand() : 0, nowNs);
    HoldMessage message = keeper.message();
    for (int i = 0; i < limits.length; i++) {
      if (requests == 0) {
        asked[i] = wanted > 0 ? usual[i] : 1;
      }
      numbers.reserve(i, holds(i) && requests + wanted > 0 ? asked[i] : 0);
    }
    boolean isAsk = requests > 0 || wanted > 0 && !numbers.isUnsaid();
    keeper.metrics().sent(isAsk ? ASK : numbers.isUnsaid() ? END : RENEWAL);
    saidEndCount = endCount;
    numbers.beginAnewIfFull(keeper.nextId());
    numbers.say(message, requests, wanted, nowNs, keeper.wallNs());
    StoreQuestion question = keeper.question().hold(this, ++lastMessage).of(names, 0, limits);
    question.upTo(requests).keep(message.keep(), LIFE_US);
    question.holder(message.id(), message.sequence(), LIFE_US);
    for (int i = 0; i < limits.length; i++) {
      question.cost(i, asked[i]);
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
    tend(nowNs);
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
        long most = aim.isOn() ? unitsOf(i, 2 * aim.requests()) : 0;
        isUrgent |= numbers.settle(i, hold.generation, hold.costs[i], hold.finalCosts[i], most);
      }
    }
    countInHand();
    if (isNewsToSay()) {
      proceed(true, keeper.nowNs());
    } else {
      tend(keeper.nowNs());
    }
  }

  /** Whether there is something to be said at once. */
  private boolean isNewsToSay() {
    return !isTelling && (isUrgent || !aim.isOn()) && numbers.isUnsaid();
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
    serverChanged(decision.server());
    long granted = decision.granted();
    long kept = decision.kept();
    long wallNs = keeper.wallNs();
    switch (numbers.answered(worst(decision), granted, kept, keeper.nextId(), nowNs, wallNs)) {
      case DECIDED -> {
        endsTold();
        server = decision.server();
        notedLimit = decision.limitIndex();
        notedRemaining = decision.remaining();
        notedResetAtNs = decision.sentNs() + decision.resetAfterNs();
        tell(decision, nowNs);
        if (aim.isOn()) {
          aim.answered(wanted, kept, requestsInHand(), nowNs);
        }
        releaseUnlessKept();
      }
      case ASK_AGAIN -> {
        keeper.metrics().forgotten();
        countInHand();
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
    aim.pause(keeper.nowNs());
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

  /** Tells those that were asked for, and those that wait as far as there are units in hand. */
  private void tell(StoreDecision decision, long nowNs) {
    if (isSum && decision.granted() == 0) {
      for (StoreHold hold = firstAsked; hold != null; hold = hold.next) {
        refusedTogether++;
      }
      putBack();
    }
    long left = isSum ? Long.MAX_VALUE : decision.granted();
    StoreHold next;
    StoreHold hold = firstAsked;
    firstAsked = null;
    isTelling = true;
    for (; hold != null; hold = next) {
      next = hold.next;
      boolean isGranted = left-- > 0;
      hold.state = isGranted ? State.HELD : State.NOT_HELD;
      hold.generation = numbers.generation();
      tell(hold, isGranted || takes(hold, nowNs), decision);
    }
    while (firstWaiting != null && takes(firstWaiting, nowNs)) {
      hold = firstWaiting;
      firstWaiting = hold.next;
      tell(hold, true, decision);
    }
    isTelling = false;
  }

  private void tell(StoreHold hold, boolean isGranted, StoreDecision decision) {
    refusedTogether = Math.max(0, refusedTogether - 1);
    hold.decidedAtUs = decision.decidedAtUs();
    hold.server = decision.server();
    try {
      hold.asker.held(hold.check, isGranted, decision);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a request that asked to hold units", bug);
    }
    keeper.told(hold);
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
        if (saysNews && isNewsToSay()) {
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
