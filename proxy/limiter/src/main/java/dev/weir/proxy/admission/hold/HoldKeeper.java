package dev.weir.proxy.admission.hold;

import dev.weir.proxy.admission.hold.StoreHold.Asker;
import dev.weir.proxy.admission.hold.StoreHold.State;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.metrics.HoldMetrics;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.BudgetListener;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The holders of one event loop, by key, and what requests hold by them. A holder is forgotten when
 * its record in the store has expired and no request has to do with it; earlier, where its place is
 * needed.
 */
public final class HoldKeeper implements BudgetListener {
  /** The most keys of which an event loop holds units at a time. */
  static final int MAX_KEYS = 16 * 1024;

  /** Time between two looks at what is to be renewed. */
  static final long SWEEP_NS = 250_000_000;

  private final LoopStore store;
  private final LoopClock clock;
  private final HoldMetrics metrics;
  private final SplittableRandom ids;
  private final HoldMessage message = new HoldMessage();
  private final StoreQuestion question = new StoreQuestion();
  private final Long2ObjectHashMap<KeyHolder> byKey = new Long2ObjectHashMap<>();
  private final KeyHolder[] all = new KeyHolder[MAX_KEYS];
  private int count;
  private final FreeList<KeyHolder> freeKeys = new FreeList<>(MAX_KEYS, () -> new KeyHolder(this));
  private final FreeList<StoreHold> freeHolds;
  private final WakeUp sweep;

  /** When places were last looked for. */
  private long clearedNs;

  /**
   * @param mostHolds that are kept for reuse.
   */
  public HoldKeeper(LoopStore store, LoopClock clock, HoldMetrics metrics, int mostHolds) {
    this.store = store;
    this.clock = clock;
    this.metrics = metrics;
    this.ids = new SplittableRandom(new SecureRandom().nextLong());
    this.freeHolds = new FreeList<>(mostHolds, StoreHold::new);
    this.sweep = store.wakeUp(this::sweep);
    store.listen(this);
  }

  /**
   * Begins a hold of one request under the limits of one key.
   *
   * @param key that no other limits or identities have.
   * @param keys the names of the budgets, from the first on.
   * @return null if there is no place.
   */
  public StoreHold begin(long key, BudgetGroup group, StoreKeys keys, int first, long nowNs) {
    KeyHolder holder = byKey.get(key);
    if (holder == null) {
      if (count == MAX_KEYS) {
        makePlace(nowNs);
      }
      if (count == MAX_KEYS) {
        metrics.withoutPlace();
        return null;
      }
      holder = freeKeys.take();
      holder.begin(key, group, keys, first);
      metrics.keyBegun();
      byKey.put(key, holder);
      all[count++] = holder;
      sweep.at(nowNs + SWEEP_NS);
    } else {
      holder.use(group);
    }
    return begin(holder);
  }

  private StoreHold begin(KeyHolder holder) {
    holder.userCount++;
    StoreHold hold = freeHolds.take();
    hold.begin(holder);
    return hold;
  }

  /**
   * Counts the arrival of a request, and begins its hold if units of the key are in hand: {@link
   * #take} takes them.
   *
   * @param group as of {@link #begin}.
   * @return null if none are.
   */
  public StoreHold beginInHand(long key, BudgetGroup group, long nowNs) {
    KeyHolder holder = byKey.get(key);
    if (holder == null) {
      return null;
    }
    if (holder.group() != group) {
      holder.use(group);
    }
    holder.arrived(nowNs);
    return holder.inHand(0) > 0 ? begin(holder) : null;
  }

  /**
   * Takes the units of a hold from those in hand.
   *
   * @return false if there are too few; then the hold has ended.
   */
  public boolean take(StoreHold hold, long nowNs) {
    if (hold.key.take(hold, nowNs)) {
      return true;
    }
    leave(hold);
    return false;
  }

  /** Units in hand of one limit of a key. */
  public long inHand(long key, int limit) {
    KeyHolder holder = byKey.get(key);
    return holder == null ? 0 : holder.inHand(limit);
  }

  /**
   * Asks for the units of a hold.
   *
   * @param check names it to the asker.
   * @param deadlineNs until when there must be a decision.
   * @return null if the asker will be told; else why there will be no decision.
   */
  public StoreFault ask(
      StoreHold hold, Asker asker, int check, long deadlineNs, boolean isFollowed, long nowNs) {
    hold.asker = asker;
    hold.check = check;
    hold.deadlineNs = deadlineNs;
    return hold.key.ask(hold, isFollowed, nowNs);
  }

  /** Ends a hold of a request that passed: it is charged its final costs. */
  public void settle(StoreHold hold) {
    hold.isEnded = true;
    end(hold);
  }

  /** Ends a hold of a request that does not pass, or did not take place: it is charged nothing. */
  public void undo(StoreHold hold) {
    hold.isEnded = true;
    hold.isUndone = true;
    end(hold);
  }

  /** A hold has a decision, or will have none; its request may have ended before. */
  void told(StoreHold hold) {
    if (hold.isEnded && hold.key != null) {
      end(hold);
    }
  }

  private void end(StoreHold hold) {
    if (hold.state == State.WAITING) {
      return; // it is told first
    }
    KeyHolder key = hold.key;
    boolean isHeld = hold.state == State.HELD;
    if (hold.isUndone) {
      Arrays.fill(hold.finalCosts, 0);
      if (isHeld) {
        key.refundRest(hold, question, clock.nowNs());
      }
    } else if (!isHeld) {
      key.owe(hold, question, clock.nowNs());
    }
    if (isHeld) {
      key.settle(hold);
    }
    leave(hold);
  }

  private void leave(StoreHold hold) {
    hold.key.userCount--;
    hold.key = null;
    hold.asker = null;
    hold.next = null;
    freeHolds.give(hold);
  }

  private void sweep() {
    long nowNs = clock.tick();
    for (int i = count - 1; i >= 0; i--) {
      all[i].renew(nowNs);
      if (all[i].isOver(nowNs)) {
        remove(i);
      }
    }
    if (count > 0) {
      sweep.at(nowNs + SWEEP_NS);
    }
  }

  /** Releases what is in hand of limits that others have replaced, as other rules are in use. */
  public void rulesChanged() {
    for (int i = 0; i < count; i++) {
      if (!all[i].group().isCurrent()) {
        all[i].stopKeeping(clock.nowNs());
      }
    }
  }

  /** Releases all that is in hand, as the process ends. */
  public void stopKeeping() {
    for (int i = 0; i < count; i++) {
      all[i].stopKeeping(clock.nowNs());
    }
  }

  @Override
  public void serversChanged() {
    for (int i = 0; i < count; i++) {
      long server = all[i].serverNow();
      if (server != 0) {
        all[i].serverChanged(server);
      }
    }
  }

  @Override
  public void givenBack(StoreKeys keys, int key, long cost) {
    // What is held is not part of what was used.
  }

  @Override
  public void forget(byte[] name, int partition) {
    // A reset leaves what is held.
  }

  @Override
  public void forgetAll() {
    // Nor do several.
  }

  /** Forgets holders that are not in use, though the store may still have their records. */
  private void makePlace(long nowNs) {
    if (nowNs - clearedNs < SWEEP_NS) {
      return;
    }
    clearedNs = nowNs;
    for (int i = count - 1; i >= 0; i--) {
      if (all[i].isFree()) {
        remove(i);
      }
    }
  }

  private void remove(int index) {
    KeyHolder holder = all[index];
    byKey.remove(holder.key());
    holder.end();
    metrics.keyEnded();
    all[index] = all[--count];
    all[count] = null;
    freeKeys.give(holder);
  }

  /** Whether the store knows all that has ended: nothing of it has to be said, or is under way. */
  public boolean isSettled() {
    boolean isSettled = true;
    for (int i = 0; i < count; i++) {
      isSettled &= all[i].isFree() || all[i].userCount > 0;
    }
    return isSettled;
  }

  /** Whether no further keys are to have units in hand, which keeps their places from others. */
  boolean isCrowded() {
    return count > MAX_KEYS / 2;
  }

  /** The number of keys. */
  public int keyCount() {
    return count;
  }

  HoldMetrics metrics() {
    return metrics;
  }

  LoopStore store() {
    return store;
  }

  HoldMessage message() {
    return message;
  }

  StoreQuestion question() {
    return question;
  }

  long nextId() {
    return ids.nextLong();
  }

  long nowNs() {
    return clock.nowNs();
  }

  long wallNs() {
    return clock.wallNs();
  }
}
