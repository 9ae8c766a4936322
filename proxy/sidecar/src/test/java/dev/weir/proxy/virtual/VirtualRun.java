package dev.weir.proxy.virtual;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Runs random episodes in virtual time, one after the other, and makes the first that fails as
 * small as it can. A seed repeats everything.
 */
final class VirtualRun {
  /** A sidecar serves so many episodes, and is followed by one with other settings. */
  private static final int EPISODES = 200;

  private static final int MOST_TRIES = 5_000;

  private final long seed;
  private final double startSeconds = cpuSeconds();
  private long episodes;
  private long steps;

  VirtualRun(long seed) {
    this.seed = seed;
  }

  /** A fault, by which the run has ended. */
  static final class Fault extends AssertionError {
    private static final long serialVersionUID = 1;

    Fault(String text, Throwable cause) {
      super(text, cause);
    }
  }

  /**
   * Runs whole sidecars until there were so many episodes, or the time is over.
   *
   * @throws Fault at the first fault.
   */
  void run(long mostEpisodes, long mostNs) {
    long endNs = System.nanoTime() + mostNs;
    for (long number = 0; episodes < mostEpisodes && System.nanoTime() < endNs; number++) {
      sidecar(Choices.seed(seed, number), (int) Math.min(EPISODES, mostEpisodes - episodes));
    }
  }

  /** How many episodes have passed. */
  long episodes() {
    return episodes;
  }

  /** How many steps there were in them. */
  long steps() {
    return steps;
  }

  private void sidecar(long worldSeed, int count) {
    World world = new World(new Choices(worldSeed));
    for (int i = 0; i < count; i++) {
      Choices choices = new Choices(Choices.seed(worldSeed, i));
      Episode episode = new Episode(world, choices, new Log(false));
      try {
        episode.run();
      } catch (AssertionError | RuntimeException fault) {
        throw fault(worldSeed, i, choices.made(), fault);
      }
      episodes++;
      steps += episode.stepCount();
    }
  }

  private Fault fault(long worldSeed, int number, int[] made, Throwable found) {
    String where = "seed " + seed + ", after " + episodes + " episodes: " + found;
    Attempt alone = attempt(worldSeed, made);
    if (alone.fault == null) {
      return new Fault(
          where + "\n(not by this episode alone, but behind " + number + " others)", found);
    }
    Attempt least = shrunk(worldSeed, alone);
    return new Fault(
        where
            + "\nshrunk to: "
            + least.fault
            + '\n'
            + least.log
            + "choices: "
            + Arrays.toString(least.choices),
        least.fault);
  }

  /** An episode alone on a sidecar of its own. */
  private record Attempt(int[] choices, Throwable fault, Log log) {}

  private static Attempt attempt(long worldSeed, int[] list) {
    Choices choices = new Choices(list);
    Log log = new Log(true);
    try {
      new Episode(new World(new Choices(worldSeed)), choices, log).run();
      return new Attempt(list, null, log);
    } catch (AssertionError | RuntimeException fault) {
      return new Attempt(
          Arrays.copyOf(list, Math.min(list.length, choices.made().length)), fault, log);
    }
  }

  /** Leaves out choices, and makes others 0, as long as it fails in the same way. */
  private static Attempt shrunk(long worldSeed, Attempt from) {
    Attempt least = from;
    int tries = 0;
    for (int block = Math.max(1, least.choices.length / 2); block > 0; block /= 2) {
      for (int at = 0; at < least.choices.length && tries < MOST_TRIES; tries++) {
        Attempt without = attempt(worldSeed, without(least.choices, at, block));
        if (isSame(without, from)) {
          least = without;
        } else {
          at += block;
        }
      }
    }
    for (int at = 0; at < least.choices.length && tries < MOST_TRIES; at++) {
      if (least.choices[at] != 0) {
        int[] calmer = least.choices.clone();
        calmer[at] = 0;
        tries++;
        Attempt attempt = attempt(worldSeed, calmer);
        least = isSame(attempt, from) ? attempt : least;
      }
    }
    return least;
  }

  /** Whether both fail in the same way, whatever numbers and names there are. */
  private static boolean isSame(Attempt attempt, Attempt from) {
    return attempt.fault != null && kind(attempt.fault).equals(kind(from.fault));
  }

  private static String kind(Throwable fault) {
    return String.valueOf(fault.getMessage()).replaceAll("[0-9]+|\\(.*\\)", "");
  }

  private static int[] without(int[] list, int at, int count) {
    int end = Math.min(list.length, at + count);
    int[] rest = new int[list.length - (end - at)];
    System.arraycopy(list, 0, rest, 0, at);
    System.arraycopy(list, end, rest, at, list.length - end);
    return rest;
  }

  /** Seed, episodes, steps, and how many of both a core does in a second. */
  String figures() {
    double cpuSeconds = cpuSeconds() - startSeconds;
    return String.format(
        "seed %d: %d episodes and %d steps, %.0f and %.0f in a second of a core",
        seed, episodes, steps, episodes / cpuSeconds, steps / cpuSeconds);
  }

  private static double cpuSeconds() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
  }

  /** Runs until a fault, or for so many minutes: {@code MINUTES [SEED]}. */
  public static void main(String[] arguments) {
    long minutes = Long.parseLong(arguments[0]);
    long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime();
    VirtualRun run = new VirtualRun(seed);
    try {
      run.run(Long.MAX_VALUE, TimeUnit.MINUTES.toNanos(minutes));
    } finally {
      System.out.println(run.figures());
    }
  }
}
