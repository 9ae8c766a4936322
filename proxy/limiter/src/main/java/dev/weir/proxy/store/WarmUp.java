package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.Arrays;

/**
 * Asks the store for decisions before the first request, one after the other, as a JVM that has
 * just started takes longer for its first decisions than a request may wait.
 */
final class WarmUp implements StoreCallback {
  /** Enough for the code to be loaded and compiled once. */
  private static final int DECISIONS = 400;

  /** Long, as the first ones are slow. */
  private static final long DEADLINE_NS = 1_000_000_000;

  /** An observer that counts none of them. */
  static final StoreObserver UNOBSERVED = new StoreObserver() {};

  private static final ScriptLimit[] LIMITS = {ScriptLimit.paced(1, 1, 1_000)};

  private final LoopStore store;
  private final Runnable done;
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private int asked;
  private boolean isStopped;

  /**
   * @param done runs once, on the event loop.
   */
  WarmUp(LoopStore store, Runnable done) {
    this.store = store;
    this.done = done;
  }

  void start() {
    ask();
  }

  /** Ends the warm-up, as requests come: it asks no more, and {@code done} does not run. */
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

  /** Writes the key of the warm-up, which expires after a millisecond; returns its length. */
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

  /**
   * Asks the next one in a task of its own, as the call that brought the answer has to end first.
   */
  private void next() {
    store.eventLoop().execute(this::ask);
  }
}
