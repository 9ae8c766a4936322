package dev.weir.bench.torture;

import dev.weir.bench.torture.judge.Pause;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Notes when a thread that only wants to run does not: then the machine is too busy for anybody to
 * be blamed for being late. Runs until it is interrupted.
 */
final class Pulse implements Runnable {
  private static final long BEAT_MS = 5;
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(60);

  private final List<Pause> pauses = new CopyOnWriteArrayList<>();

  List<Pause> pauses() {
    return List.copyOf(pauses);
  }

  @Override
  public void run() {
    try {
      while (true) {
        final long fromNs = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(BEAT_MS);
        final long toNs = System.nanoTime();
        if (toNs - fromNs > LATE_NS) {
          pauses.add(new Pause(fromNs, toNs));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
