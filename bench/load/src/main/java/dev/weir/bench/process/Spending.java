package dev.weir.bench.process;

import java.io.IOException;
import java.util.List;

/** The processor time of servers while they are measured, from when this is made. */
public final class Spending {
  private final List<Long> pids;
  private final Cores cores;
  private final double coreBeforeUs;
  private final double spentBeforeUs;
  private final long startNs = System.nanoTime();

  /**
   * Processor time that was spent.
   *
   * @param spentUs processor time of the servers, and of what they have started.
   * @param othersPercent of their core, taken by others meanwhile; NaN where they have no core.
   */
  public record Spent(double spentUs, double othersPercent) {
    /** The part of the servers' core that they took in so many seconds, NaN without a core. */
    public double corePercent(double seconds) {
      return Double.isNaN(othersPercent) ? Double.NaN : spentUs / seconds / 1e4;
    }
  }

  /**
   * @param pids of the servers, on the servers' core.
   */
  public Spending(Cores cores, Long... pids) throws IOException {
    this.cores = cores;
    this.pids = List.of(pids);
    coreBeforeUs = isPinned() ? ProcessorTime.ofCoreUs(cores.server()) : Double.NaN;
    spentBeforeUs = ofServersUs();
  }

  private boolean isPinned() {
    return cores.server() != Cores.ANY;
  }

  private double ofServersUs() {
    return pids.stream().mapToDouble(ProcessorTime::ofTreeUs).sum();
  }

  /** Processor time spent by now. */
  public Spent end() throws IOException {
    final double spentUs = ofServersUs() - spentBeforeUs;
    final double wallUs = (System.nanoTime() - startNs) / 1e3;
    if (!isPinned()) {
      return new Spent(spentUs, Double.NaN);
    }
    final double coreUs = ProcessorTime.ofCoreUs(cores.server()) - coreBeforeUs;
    return new Spent(spentUs, 100 * Math.max(0, coreUs - spentUs) / wallUs);
  }
}
