package dev.weir.bench.fleet;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.SidecarProcess;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A fault of a fleet, as it is done to its processes. */
enum Fault {
  NONE("nothing", false, (site, lastsNs) -> {}),
  REPLY_LOST(
      "every 50 ms a reply of the store is lost, with its connection",
      false,
      (site, lastsNs) -> {
        final long endNs = System.nanoTime() + lastsNs;
        while (System.nanoTime() - endNs < 0) {
          site.relay().loseReply();
          TimeUnit.MILLISECONDS.sleep(50);
        }
      }),
  STORE_SLOW(
      "replies of the store come 3 ms later", false, (site, lastsNs) -> slow(site, 3, lastsNs)),
  STORE_LATE(
      "replies of the store come 120 ms later", false, (site, lastsNs) -> slow(site, 120, lastsNs)),
  STORE_HUNG(
      "the store has no processor time",
      false,
      (site, lastsNs) -> {
        site.store().suspend();
        TimeUnit.NANOSECONDS.sleep(lastsNs);
        site.store().resume();
      }),
  STORE_CUT_OFF(
      "nothing passes between sidecars and store; then all that was held does",
      false,
      (site, lastsNs) -> {
        site.relay().hold();
        TimeUnit.NANOSECONDS.sleep(lastsNs);
        site.relay().release();
      }),
  STORE_KILLED(
      "the store is killed, and started again with its log",
      false,
      (site, lastsNs) -> {
        site.store().kill();
        TimeUnit.NANOSECONDS.sleep(lastsNs);
        site.store().start();
      }),
  FAILOVER(
      "a replica that has all writes takes over",
      false,
      (site, lastsNs) -> {
        site.store().pauseWrites(TimeUnit.NANOSECONDS.toMillis(lastsNs) + 1);
        site.store().awaitCopy(site.replica());
        site.replica().promote();
        site.store().kill();
        site.relay().moveTo(site.replica().address());
      }),
  FAILOVER_LOSING_WRITES(
      "a replica takes over that lacks the writes of 200 ms",
      true,
      (site, lastsNs) -> {
        site.replica().promote();
        TimeUnit.MILLISECONDS.sleep(200);
        site.store().kill();
        site.relay().moveTo(site.replica().address());
      }),
  STORE_EMPTIED("FLUSHALL", true, (site, lastsNs) -> site.store().empty()),
  SIDECAR_KILLED(
      "the busiest sidecar is killed with units in hand, and started again",
      false,
      (site, lastsNs) -> site.fleet().killBusiest()),
  SIDECAR_HUNG(
      "the busiest sidecar has no processor time",
      false,
      (site, lastsNs) -> {
        final SidecarProcess busiest = site.fleet().busiest();
        busiest.suspend();
        TimeUnit.NANOSECONDS.sleep(lastsNs);
        busiest.resume();
      });

  final String description;
  final boolean losesWrites;
  final Happening happening;

  Fault(String description, boolean losesWrites, Happening happening) {
    this.description = description;
    this.losesWrites = losesWrites;
    this.happening = happening;
  }

  /** Makes a fault happen. */
  interface Happening {
    /**
     * Returns when it is over.
     *
     * @param lastsNs for those that last.
     */
    void happen(Site site, long lastsNs) throws IOException, InterruptedException;
  }

  private static void slow(Site site, long ms, long lastsNs) throws InterruptedException {
    site.relay().delayReplies(TimeUnit.MILLISECONDS.toNanos(ms));
    TimeUnit.NANOSECONDS.sleep(lastsNs);
    site.relay().delayReplies(0);
  }

  boolean needsReplica() {
    return this == FAILOVER || this == FAILOVER_LOSING_WRITES;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The fleet and the store to which a fault happens.
   *
   * @param relay between the sidecars and the store.
   * @param replica of the store; null unless the fault needs one.
   */
  record Site(Fleet fleet, StoreRelay relay, RedisServer store, RedisServer replica) {}
}
