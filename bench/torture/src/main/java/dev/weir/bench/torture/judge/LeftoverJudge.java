package dev.weir.bench.torture.judge;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process that lives is as before the traffic: connections, streams, descriptors, threads and
 * memory; one that has ended did so when this run said, with the status that the manual states. No
 * log tells of a fault of Weir's own.
 */
final class LeftoverJudge implements Judge {
  /**
   * Descriptors above those before: connections to the store that came back, to a service of
   * HTTP/2.
   */
  static final int DESCRIPTORS_MORE = 12;

  /** Threads above those before: compilers and the JVM's own come and go. */
  static final int THREADS_MORE = 8;

  private static final int SIGKILL_STATUS = 128 + 9;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    for (ProcessEnd end : evidence.ends()) {
      for (String wrong : wrongs(end)) {
        findings.add(
            new Finding(name(), end.name() + ": " + wrong, evidence.startNs(), Long.MAX_VALUE));
      }
    }
    return findings;
  }

  private static List<String> wrongs(ProcessEnd end) {
    final List<String> wrongs = new ArrayList<>();
    end.log()
        .lines()
        .filter(LeftoverJudge::tellsOfOurFault)
        .findFirst()
        .ifPresent(line -> wrongs.add("the log says: " + line.strip()));
    if (end.exitStatus().isPresent()) {
      final int status = end.exitStatus().getAsInt();
      final boolean asTold =
          end.killed() ? status == SIGKILL_STATUS : end.wasToEnd() && status == 0;
      if (!asTold) {
        wrongs.add("ended with status " + status);
      }
      return wrongs;
    }
    if (end.wasToEnd()) {
      wrongs.add("has not ended, as it was told to");
      return wrongs;
    }
    for (Map.Entry<String, Double> gauge : end.gauges().entrySet()) {
      final double before = end.before().getOrDefault(gauge.getKey(), 0.0);
      if (gauge.getValue() > before) {
        wrongs.add(gauge.getKey() + " is " + gauge.getValue() + ", and was " + before);
      }
    }
    atMost(wrongs, "descriptors", end.descriptors(), DESCRIPTORS_MORE);
    atMost(wrongs, "threads", end.threads(), THREADS_MORE);
    atMost(wrongs, "MiB of memory", end.rssMib(), ProcessEnd.RSS_MORE_MIB);
    return wrongs;
  }

  private static void atMost(List<String> wrongs, String what, ProcessEnd.Growth of, int more) {
    if (of.now() > of.before() + more) {
      wrongs.add(
          "has %d %s (expected: at most %d more than %d)"
              .formatted(of.now(), what, more, of.before()));
    }
  }

  private static boolean tellsOfOurFault(String line) {
    return line.startsWith("\tat ")
        || line.contains("internal error")
        || line.contains("Admin page failed")
        || line.contains("a fault of Weir")
        || line.contains("the process ends:")
        || line.contains("OutOfMemory")
        || line.contains("LEAK:");
  }
}
