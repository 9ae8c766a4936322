package dev.weir.proxy.watch;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Whether the files of one kind that are followed are those in use: how often they were read again,
 * and with what success. Any thread. Files that are read apart from each other are parts, each
 * named by an object of its own.
 */
public final class Reloads {
  private final LongSupplier clockMs;

  /** The parts that cannot be used now. */
  private final Set<Object> rejectedParts = new HashSet<>();

  private volatile long takenCount;
  private volatile long rejectedCount;
  private volatile long takenMs;

  /** How often in a row files were rejected; 0 if those that were read last are in use. */
  private volatile long rejectedInARow;

  private long rejectedMs;

  /** Files that have just been taken into use, by the start. */
  public Reloads() {
    this(System::currentTimeMillis);
  }

  /**
   * Files that have just been taken into use, by the start.
   *
   * @param clockMs milliseconds since 1970.
   */
  Reloads(LongSupplier clockMs) {
    this.clockMs = clockMs;
    takenMs = clockMs.getAsLong();
  }

  /**
   * Files were read and taken into use.
   *
   * @return for the end of the log's line: nothing, or how often and for how long they had been
   *     rejected before.
   */
  public synchronized String taken() {
    rejectedParts.clear();
    takenCount++;
    takenMs = clockMs.getAsLong();
    long rejected = rejectedInARow;
    rejectedInARow = 0;
    if (rejected == 0) {
      return "";
    }
    long seconds = Math.max(0, takenMs - rejectedMs) / 1000;
    String times = rejected == 1 ? "once" : rejected + " times";
    return "; before that they were rejected " + times + ", for " + seconds + " s";
  }

  /**
   * A part was read and taken into use. Others may still be rejected.
   *
   * @return as {@link #taken()}; nothing while another part is rejected.
   */
  public synchronized String taken(Object part) {
    rejectedParts.remove(part);
    if (rejectedParts.isEmpty()) {
      return taken();
    }
    takenCount++;
    return "";
  }

  /** A part was read that cannot be used: its last good content stays in use. */
  public synchronized void rejected(Object part) {
    rejectedParts.add(part);
    rejected();
  }

  /** Files were read that cannot be used, or could not be read: the last good ones stay in use. */
  public synchronized void rejected() {
    rejectedCount++;
    if (rejectedInARow++ == 0) {
      rejectedMs = clockMs.getAsLong();
    }
  }

  /** How often files were read again and taken. */
  public long takenCount() {
    return takenCount;
  }

  /** How often files that were read again could not be used. */
  public long rejectedCount() {
    return rejectedCount;
  }

  /** Whether the files that were read last are in use. */
  public boolean isLastTaken() {
    return rejectedInARow == 0;
  }

  /** When files were last taken into use, in seconds since 1970. */
  public double takenSeconds() {
    return takenMs / 1e3;
  }
}
