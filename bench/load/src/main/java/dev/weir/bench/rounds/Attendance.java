package dev.weir.bench.rounds;

import dev.weir.bench.report.MarkdownReport;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The servers that take part in a comparison, with their versions, and what was left out. */
public final class Attendance {
  private final Consumer<String> progress;
  private final Map<String, String> versions = new LinkedHashMap<>();
  private final Set<String> leftOut = new LinkedHashSet<>();

  /** The version of a server, or the reason why it cannot be had on this machine. */
  public interface Version {
    String get() throws IOException;
  }

  public Attendance(Consumer<String> progress) {
    this.progress = progress;
  }

  /** Takes a server in, or leaves it out; returns whether it takes part. */
  public boolean takesPart(String name, Version version) {
    try {
      versions.put(name, version.get());
      return true;
    } catch (IOException e) {
      leaveOut(name, e.getMessage());
      return false;
    }
  }

  /** Leaves something out, or leaves it out from now on. */
  public void leaveOut(String what, String why) {
    leftOut.add(what + ": " + why);
    progress.accept("left out: " + what + ": " + why);
  }

  public Map<String, String> versions() {
    return versions;
  }

  /** Servers and cases that were left out, each with the reason. */
  public Set<String> leftOut() {
    return leftOut;
  }

  /** Adds a line to a report for each version, and for what was left out. */
  public void tell(MarkdownReport report) {
    versions.forEach((name, version) -> report.fact(name + ": " + version));
    leftOut.forEach(report::leftOut);
  }
}
