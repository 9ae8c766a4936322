package dev.weir.proxy.store;

import dev.weir.scripts.ScriptLimit;

/**
 * The debt of a paced budget: the time at which all of it will have drained, as GCRA keeps it for
 * the budget itself.
 */
final class PacedDebt extends Debt {
  private long requestNs;
  private long fullNs;
  private long drainedAtNs;

  @Override
  void begin(ScriptLimit of) {
    requestNs = Math.max(1, drainingNs(1));
    fullNs = drainingNs(most());
    drainedAtNs = 0;
  }

  /** How long so many requests take to drain, 1 to {@link #most}. */
  private long drainingNs(long ofRequests) {
    // One that costs more than there is takes all.
    return limit()
        .comesBackNs(ofRequests == 1 ? Math.min(cost(), limit().capacity()) : ofRequests * cost());
  }

  @Override
  void add(long added, long passedNs, long nowNs) {
    long leftNs = passedNs + drainingNs(Math.min(added, most())) - nowNs;
    if (leftNs > 0) {
      drainedAtNs = Math.min(Math.max(drainedAtNs, nowNs) + leftNs, nowNs + fullNs);
    }
  }

  @Override
  long requests(long nowNs) {
    long leftNs = drainedAtNs - nowNs;
    return leftNs <= 0 ? 0 : Math.min((leftNs - 1) / requestNs + 1, most());
  }

  /** A time in the past, if a request has drained in part. */
  @Override
  long passedNs(long requests) {
    return drainedAtNs - drainingNs(requests);
  }

  @Override
  void removeOldest() {
    drainedAtNs = 0;
  }
}
