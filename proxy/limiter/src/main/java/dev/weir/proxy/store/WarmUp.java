package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * Asks for decisions that nobody waits for, one after the other, before the first request comes: a
 * virtual machine that has just started takes longer for its first decisions than a request may
 * wait.
 */
final class WarmUp implements StoreCallback {
  /** Enough for the code on the way to be loaded and compiled once. */
  private static final int DECISIONS = 400;

  /** The first ones are slow; that is why they are made. */
  private static final long DEADLINE_NS = 1_000_000_000;

  /** Counts none of them. */
  static final StoreObserver UNOBSERVED = new StoreObserver() {};

  private static final ScriptLimit[] LIMITS = {ScriptLimit.paced(1, 1, 1_000)};

  private final LoopStore store;
  private final Runnable done;
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private int asked;
  private boolean isStopped;

  /**
   * @param done is run once, on the event loop.
   */
  WarmUp(LoopStore store, Runnable done) {
    this.store = store;
    this.done = done;
  }

  void start() {
    ask();
  }

  /** There are requests now, which are not to wait behind it: it asks no more, and is not done. */
  void stop() {
    isStopped = true;
  }

  private void ask() {
    if (isStopped) {
      return;
    }
    if (asked == DECISIONS) {
      done.run();
      return;
    }
    int partition = asked % Partitions.COUNT;
    keys.clear();
    keys.add(trialKey(partition, keys), partition, partition, 0);
    question.check(this, asked++).of(keys, 0, LIMITS).within(DEADLINE_NS);
    if (store.ask(question, store.tick()) != null) {
      next();
    }
  }

  /** Writes the name of a key that means nothing, for a millisecond; returns its length. */
  private static int trialKey(int partition, StoreKeys keys) {
    byte[] tag = Partitions.tag(partition);
    int length = keys.buffer().putStringWithoutLengthAscii(0, "rl:");
    keys.buffer().putBytes(length, tag);
    length += tag.length;
    return length + keys.buffer().putStringWithoutLengthAscii(length, ":trial");
  }

  static byte[] trialKey(int partition) {
    StoreKeys keys = new StoreKeys(1);
    return Arrays.copyOf(keys.bytes(), trialKey(partition, keys));
  }

  @Override
  public void decided(long ticket, StoreDecision decision) {
    next();
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    next();
    return false;
  }

  /** Not at once: the call that brought the answer has to end first. */
  private void next() {
    store.eventLoop().execute(this::ask);
  }
}
