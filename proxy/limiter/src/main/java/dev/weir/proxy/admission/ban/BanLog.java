package dev.weir.proxy.admission.ban;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line of the log for a ban that begins, one a second at most; the next one tells how many. */
final class BanLog {
  private static final Logger LOG = LoggerFactory.getLogger(Bans.class);
  private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong nextNs = new AtomicLong();
  private final AtomicLong untold = new AtomicLong();

  void begun(String ruleId, long lastsMs, int times, long nowNs) {
    long dueNs = nextNs.get();
    if (nowNs < dueNs || !nextNs.compareAndSet(dueNs, nowNs + INTERVAL_NS)) {
      untold.incrementAndGet();
      return;
    }
    long others = untold.getAndSet(0);
    LOG.info(
        "bans: rule {} bans an identity for {} s, ban {} of it{}",
        ruleId,
        TimeUnit.MILLISECONDS.toSeconds(lastsMs),
        times,
        others == 0 ? "" : "; " + others + " more bans since the last line");
  }
}
