package dev.weir.proxy.redis;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;

/**
 * Asks for decisions that nobody waits for, one after the other, before the first request comes: a
 * virtual machine that has just started takes longer for its first decisions than a request may
 * wait.
 */
final class WarmUp implements StoreSink {
  /** Enough for the code on the way to be loaded and compiled once. */
  private static final int DECISIONS = 400;

  /** The first ones are slow; that is why they are made. */
  static final long DEADLINE_NS = 1_000_000_000;

  /** Counts none of them. */
  static final StoreObserver UNOBSERVED = new StoreObserver() {};

  /** Above all tickets that name a request, so that a late answer finds nobody. */
  private static final long FIRST_TICKET = (long) Integer.MAX_VALUE << 32;

  private static final ScriptLimit LIMIT = ScriptLimit.paced(1, 1, 1_000);

  private final LoopStore store;
  private final Runnable done;
  private final StoreKey key = new StoreKey();
  private int asked;

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

  private void ask() {
    if (asked == DECISIONS) {
      done.run();
      return;
    }
    int partition = asked % Partitions.COUNT;
    key.written(trialKey(partition, key), partition, partition);
    store.ask(FIRST_TICKET + asked++, key, LIMIT, 1, true, store.tick());
  }

  /** Writes the name of a key that means nothing, for a millisecond; returns its length. */
  private static int trialKey(int partition, StoreKey key) {
    byte[] tag = Partitions.tag(partition);
    int length = key.buffer().putStringWithoutLengthAscii(0, "rl:");
    key.buffer().putBytes(length, tag);
    length += tag.length;
    return length + key.buffer().putStringWithoutLengthAscii(length, ":trial");
  }

  static byte[] trialKey(int partition) {
    StoreKey key = new StoreKey();
    int length = trialKey(partition, key);
    return new String(key.bytes(), 0, length, StandardCharsets.US_ASCII)
        .getBytes(StandardCharsets.US_ASCII);
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

  @Override
  public void forget() {}

  /** Not at once: the call that brought the answer has to end first. */
  private void next() {
    store.eventLoop().execute(this::ask);
  }
}
