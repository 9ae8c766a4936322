package dev.weir.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which core is whose.
 *
 * @param server of the processes that are measured, or {@link #ANY}.
 * @param client of this process, and of what else makes the load; or {@link #ANY}.
 */
public record Cores(int server, int client) {
  public static final int ANY = -1;

  public static final Cores UNPINNED = new Cores(ANY, ANY);

  /** Two of the cores that this process may use; {@link #UNPINNED} without two or taskset. */
  public static Cores find() {
    final List<Integer> allowed = allowed();
    return allowed.size() < 2 || !runs("taskset", "--version")
        ? UNPINNED
        : new Cores(allowed.get(0), allowed.get(1));
  }

  /** The cores that this process may use; none where that cannot be known. */
  private static List<Integer> allowed() {
    final List<Integer> cores = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("Cpus_allowed_list:")) {
          for (String range : line.substring(line.indexOf(':') + 1).trim().split(",")) {
            final String[] ends = range.split("-");
            for (int core = Integer.parseInt(ends[0]);
                core <= Integer.parseInt(ends[ends.length - 1]);
                core++) {
              cores.add(core);
            }
          }
        }
      }
    } catch (IOException e) {
      // Not Linux: nothing to pin with either.
      return List.of();
    }
    return cores;
  }

  /** Puts all threads of this process on the client's core. */
  public void pinClient() {
    if (client != ANY
        && !runs(
            "taskset",
            "-a",
            "-c",
            "-p",
            Integer.toString(client),
            Long.toString(ProcessHandle.current().pid()))) {
      throw new IllegalStateException("taskset: cannot pin this process to core " + client);
    }
  }

  public List<String> onServerCore(List<String> command) {
    return on(server, command);
  }

  public List<String> onClientCore(List<String> command) {
    return on(client, command);
  }

  private static List<String> on(int core, List<String> command) {
    if (core == ANY) {
      return command;
    }
    final List<String> pinned = new ArrayList<>(List.of("taskset", "-c", Integer.toString(core)));
    pinned.addAll(command);
    return pinned;
  }

  /** The cores of both sides, as reports say it, with the sides' names. */
  public String text(String serverName, String clientName) {
    return server == ANY || client == ANY
        ? "Nothing is pinned: " + serverName + " and " + clientName + " may share a core"
        : serverName + " on core " + server + ", " + clientName + " on core " + client;
  }

  private static boolean runs(String... command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
