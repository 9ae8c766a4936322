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
  private static final int EPISODES = 50;

  private static final long SHRINKING_NS = TimeUnit.SECONDS.toNanos(20);

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
    try (World world = new World(new Choices(worldSeed))) {
      for (int i = 0; i < count; i++) {
        Choices choices = new Choices(Choices.seed(worldSeed, i));
        boolean isLast = i == count - 1;
        Episode episode = new Episode(world, choices, isLast, new Log(false));
        try {
          episode.run();
        } catch (AssertionError | RuntimeException fault) {
          throw fault(worldSeed, i, choices.made(), isLast, fault);
        }
        episodes++;
        steps += episode.stepCount();
      }
    }
  }

  private Fault fault(long worldSeed, int number, int[] made, boolean drains, Throwable found) {
    String where = "seed " + seed + ", after " + episodes + " episodes: " + found;
    Attempt alone = attempt(worldSeed, made, drains, new Log(false));
    if (alone.fault == null) {
      String behind = "\n(not by this episode alone, but behind " + number + ")\n";
      return new Fault(where + behind + log(worldSeed, number, drains), found);
    }
    int[] least = shrunk(worldSeed, drains, alone);
    Log log = new Log(true);
    Throwable fault = attempt(worldSeed, least, drains, log).fault;
    return new Fault(
        where + "\nshrunk to: " + fault + '\n' + log + "choices: " + Arrays.toString(least), fault);
  }

  /** What happens in an episode behind so many others on one sidecar. */
  private static Log log(long worldSeed, int number, boolean drains) {
    Log log = new Log(true);
    try (World world = new World(new Choices(worldSeed))) {
      for (int i = 0; i < number; i++) {
        new Episode(world, new Choices(Choices.seed(worldSeed, i)), false, new Log(false)).run();
      }
      new Episode(world, new Choices(Choices.seed(worldSeed, number)), drains, log).run();
      log.say("(it did not fail again)");
    } catch (AssertionError | RuntimeException again) {
      log.say("%s", again);
    }
    return log;
  }

  /** An episode alone on a sidecar of its own; the fault is null if there is none. */
  private record Attempt(int[] choices, Throwable fault) {}

  private static Attempt attempt(long worldSeed, int[] list, boolean drains, Log log) {
    Choices choices = new Choices(list);
    try (World world = new World(new Choices(worldSeed))) {
      new Episode(world, choices, drains, log).run();
      return new Attempt(list, null);
    } catch (AssertionError | RuntimeException fault) {
      return new Attempt(Arrays.copyOf(list, Math.min(list.length, choices.made().length)), fault);
    }
  }

  /** Leaves out choices, and makes others 0, as long as it fails in the same way. */
  private static int[] shrunk(long worldSeed, boolean drains, Attempt from) {
    int[] least = from.choices;
    long endNs = System.nanoTime() + SHRINKING_NS;
    for (int block = Math.max(1, least.length / 2); block > 0; block /= 2) {
      for (int at = 0; at < least.length && System.nanoTime() < endNs; ) {
        int[] without = without(least, at, block);
        if (isSame(attempt(worldSeed, without, drains, new Log(false)), from)) {
          least = without;
        } else {
          at += block;
        }
      }
    }
    for (int at = 0; at < least.length && System.nanoTime() < endNs; at++) {
      int[] calmer = least.clone();
      calmer[at] = 0;
      if (least[at] != 0 && isSame(attempt(worldSeed, calmer, drains, new Log(false)), from)) {
        least = calmer;
      }
    }
    return least;
  }

  /** Whether both fail in the same way, whatever numbers and names there are. */
  private static boolean isSame(Attempt attempt, Attempt from) {
    return attempt.fault != null && kind(attempt.fault).equals(kind(from.fault));
  }

  private static String kind(Throwable fault) {
    return String.valueOf(fault.getMessage())
        .replaceAll("request \\d+ |client \\d+|stream \\d+|\\(.*\\)|\\d+ bytes", "");
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
