package dev.weir.proxy.metrics;

import dev.weir.proxy.log.Incident;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the times of every interval to a file, on a thread of its own. A file that cannot be
 * written stops nothing: it is tried again at the end of each interval, and what could not be
 * written becomes part of the next interval that can be, so that no time is ever missing.
 *
 * <p>What is there is appended to. A file that was moved away is made anew, and one that was
 * emptied begins anew, each with a header.
 */
public final class LatencyLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LatencyLog.class);
  private static final int CLOSE_TIMEOUT_SECONDS = 5;

  private final Path path;
  private final RotatedLogFile file;
  private final Latencies.Reader reader;
  private final ScheduledExecutorService thread;
  private final IntervalLog lines = new IntervalLog();

  /** The times that are still to be written, by step. */
  private final Histogram[] unwritten = new Histogram[LatencyStep.values().length];

  private long startNs = System.nanoTime();
  private long baseNs;

  /** The file cannot be written. */
  private final Incident unwritable;

  /** Written by the log's thread only. */
  private volatile long errorCount;

  private volatile boolean isStarted;

  /**
   * Opens the file; nothing is written before {@link #start}. Times count from now on.
   *
   * @throws IOException if it cannot be opened; the message names it and says why.
   */
  public LatencyLog(Path path, Metrics metrics) throws IOException {
    this.path = path;
    unwritable =
        new Incident(
            LOG,
            "latency log: " + path,
            "it is tried again at the end of each interval",
            "written again",
            Incident.Ends.BY_WORD);
    try {
      file = new RotatedLogFile(path);
    } catch (IOException cannot) {
      throw new IOException(
          "latency-log: "
              + path
              + ": "
              + reason(cannot)
              + " (expected: an interval log, or a file that can be made)",
          cannot);
    }
    for (int i = 0; i < unwritten.length; i++) {
      unwritten[i] = LatencyRecorder.emptyHistogram();
    }
    reader = metrics.latencies().newReader();
    metrics.counter(
        "weir_latency_log_errors",
        "Intervals that could not be written to the latency log when they ended.",
        () -> errorCount);
    thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, "weir-latency-log");
              made.setDaemon(true);
              return made;
            });
  }

  private static String reason(IOException cannot) {
    if (cannot instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (cannot instanceof NoSuchFileException) {
      return "there is no such folder";
    }
    String reason = cannot instanceof FileSystemException file ? file.getReason() : null;
    return reason == null ? String.valueOf(cannot.getMessage()) : reason;
  }

  /** Begins to write, with an interval of that length. Once. */
  public void start(long intervalNs) {
    isStarted = true;
    // Not at a fixed rate: after a stall that would make up for it with intervals of no length.
    thread.scheduleWithFixedDelay(this::endInterval, 0, intervalNs, TimeUnit.NANOSECONDS);
  }

  private void endInterval() {
    try {
      long nowNs = System.nanoTime();
      for (LatencyStep step : LatencyStep.values()) {
        reader.take(step, unwritten[step.ordinal()]);
      }
      write(nowNs);
      startNs = nowNs;
      for (Histogram written : unwritten) {
        written.reset();
      }
      unwritable.ended();
    } catch (IOException | RuntimeException failed) {
      lines.take();
      errorCount = errorCount + 1;
      unwritable.noticed(failed instanceof IOException io ? reason(io) : failed.toString());
    }
  }

  private void write(long nowNs) throws IOException {
    if (file.prepare()) {
      baseNs = startNs;
      lines.header(System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(nowNs - baseNs));
    }
    for (LatencyStep step : LatencyStep.values()) {
      lines.line(step, startNs - baseNs, nowNs - baseNs, unwritten[step.ordinal()]);
    }
    byte[] interval = lines.take();
    if (interval.length > 0) {
      file.append(interval);
    }
  }

  private void end() {
    // A process whose start failed must not write: the file may be that of one which runs.
    if (isStarted) {
      endInterval();
    }
    try {
      file.close();
    } catch (IOException failed) {
      LOG.warn("latency log: {}: {}", path, reason(failed));
    }
  }

  /**
   * Writes what was recorded until now, if it was started, and closes the file; waits five seconds
   * at most.
   */
  @Override
  public void close() {
    if (thread.isShutdown()) {
      return;
    }
    thread.execute(this::end);
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("latency log: {}: not closed in {} s, left", path, CLOSE_TIMEOUT_SECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
