package dev.weir.bench.store;

import java.io.IOException;
import org.HdrHistogram.Histogram;

/** One way to have a server decide, as it is compared. Used by one thread. */
interface StoreContender extends AutoCloseable {
  /** The contender's name in reports. */
  String label();

  /** Empties the server, and brings so many budgets into it. */
  void prepare(int keyCount) throws IOException, InterruptedException;

  /** Asks as fast as is answered, for so long; every request may pass. */
  Decisions load(double seconds) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;

  /**
   * The decisions of a load.
   *
   * @param latencies in nanoseconds, from a question, or the pipeline that it was part of.
   * @param undecided those that failed, or that were refused.
   */
  record Decisions(long count, Histogram latencies, long undecided) {}
}
