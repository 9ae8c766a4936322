package dev.weir.bench.process;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Processor time of processes and cores so far, as Linux counts it: in steps of 10 ms. */
public final class ProcessorTime {
  /** A tick of {@code USER_HZ}, which is 100 on every architecture that a JDK runs on. */
  private static final double TICK_US = 10_000;

  // Fields of /proc/PID/stat, counted from the first one behind the name: see proc(5).
  private static final int UTIME = 11;
  private static final int STIME = 12;

  private ProcessorTime() {}

  /** User and system time of a process and of those that it has started and that are alive. */
  public static double ofTreeUs(long pid) {
    return TICK_US * tree(pid).mapToLong(each -> ticks(read(each, "stat"))).sum();
  }

  /** The time of all threads of this process, those of the JVM too. */
  public static double ofThisUs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1e3;
  }

  /** Memory of a process and of those that it has started, in MiB; what they share counts each. */
  public static double residentMib(long pid) {
    return tree(pid).mapToLong(each -> residentKib(read(each, "status"))).sum() / 1024.0;
  }

  /** Time that a core has spent on anything, and that others' machines have taken from it. */
  public static double ofCoreUs(int core) throws IOException {
    return TICK_US * busyTicks(Files.readAllLines(Path.of("/proc/stat")), core);
  }

  private static Stream<ProcessHandle> tree(long pid) {
    return ProcessHandle.of(pid).stream()
        .flatMap(handle -> Stream.concat(Stream.of(handle), handle.descendants()));
  }

  // One that has ended meanwhile has spent nothing more.
  private static String read(ProcessHandle handle, String file) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(handle.pid()), file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  static long ticks(String stat) {
    if (stat.isEmpty()) {
      return 0;
    }
    // The name is in brackets, and may hold blanks and brackets.
    final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME]);
  }

  static long residentKib(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .sum();
  }

  static long busyTicks(List<String> stat, int core) {
    for (String line : stat) {
      final String[] fields = line.trim().split(" +");
      if (fields[0].equals("cpu" + core)) {
        // user, nice and system; idle and iowait are not; irq, softirq and steal.
        return Stream.of(1, 2, 3, 6, 7, 8).mapToLong(i -> Long.parseLong(fields[i])).sum();
      }
    }
    throw new IllegalArgumentException("core: " + core + " (expected: one in /proc/stat)");
  }

  /** The processor time of servers while they are measured, from when this is made. */
  public static final class Spending {
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
}
