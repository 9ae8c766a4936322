package dev.weir.proxy.admission.ban;

import dev.weir.proxy.rule.RuleBans;
import dev.weir.proxy.store.fleet.BanBook;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The bans that began or were ended here and that the store was not told of yet. Event loops add;
 * one thread tells, and reads the words of the bans when it does.
 */
final class BanNews implements BanBook {
  /** The most bans that wait to be told, as the store is away. */
  static final int MOST = 16 * 1024;

  /** For so long the store remembers that a ban was ended before its time. */
  static final long ENDED_KEPT_MS = TimeUnit.MINUTES.toMillis(5);

  private static final int KEY_DIGITS = 16;

  private record Change(RuleBans rule, long key, long atNs) {
    String name() {
      return String.format("%s:%016x", rule.ruleId(), key);
    }
  }

  private final Bans bans;
  private final ManyToOneConcurrentArrayQueue<Change> waiting =
      new ManyToOneConcurrentArrayQueue<>(MOST);
  private final LongAdder lost = new LongAdder();

  /** The changes that are being told. */
  private final List<Change> telling = new ArrayList<>();

  BanNews(Bans bans) {
    this.bans = bans;
  }

  void add(RuleBans rule, long key, long nowNs) {
    if (!waiting.offer(new Change(rule, key, nowNs))) {
      lost.increment();
    }
  }

  long lostCount() {
    return lost.sum();
  }

  @Override
  public boolean isOpen() {
    return bans.isOpen();
  }

  @Override
  public List<News> untold(int most, long nowNs) {
    waiting.drainTo(telling, most - telling.size());
    return telling.stream()
        .map(
            change ->
                new News(
                    bans.ban(change.name(), change.key(), change.rule().forgetMs(), nowNs),
                    TimeUnit.NANOSECONDS.toMillis(nowNs - change.atNs())))
        .toList();
  }

  @Override
  public void told() {
    telling.clear();
  }

  @Override
  public void learned(Ban ban, long nowNs) {
    String name = ban.name();
    int at = Math.max(0, name.length() - KEY_DIGITS);
    try {
      bans.learned(Long.parseUnsignedLong(name.substring(at), 16), ban, nowNs);
    } catch (NumberFormatException notOurs) {
      // Somebody else has written it: it bans nobody.
    }
  }
}
