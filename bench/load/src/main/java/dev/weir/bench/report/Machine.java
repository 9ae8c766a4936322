package dev.weir.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The machine that a figure was measured on, as a report says it. */
public final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private Machine() {}

  /** Model and number of cores: {@code AMD EPYC 7B13, 2 cores}; without Linux, the architecture. */
  public static String processor() {
    try {
      return processor(Files.readAllLines(CPU_INFO));
    } catch (IOException e) {
      return processor(List.of());
    }
  }

  // The JVM counts only the cores that it has been pinned to, hence the lines of all.
  static String processor(List<String> cpuInfo) {
    final long cores =
        cpuInfo.stream().filter(line -> line.matches("processor\\s*:\\s*\\d+")).count();
    final String model =
        cpuInfo.stream()
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(':') + 1).trim())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
    return cores == 0 ? model : model + ", " + cores + (cores == 1 ? " core" : " cores");
  }

  /** Operating system and version, which on Linux is the kernel's: {@code Linux 6.12.48 amd64}. */
  public static String system() {
    return System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + " "
        + System.getProperty("os.arch");
  }

  /** Processes that ran or wanted to in the last minute, on average. */
  public static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Version and virtual machine: {@code 25.0.1+8, OpenJDK 64-Bit Server VM}. */
  public static String jdk() {
    return Runtime.version() + ", " + System.getProperty("java.vm.name");
  }
}
