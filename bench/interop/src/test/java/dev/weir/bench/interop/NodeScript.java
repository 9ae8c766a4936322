package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Scripts for {@code node} beside the tests. Their packages are where {@code npm install --prefix
 * bench/interop/target/node} puts them; a test without one is skipped.
 */
final class NodeScript {
  private static final Path MODULES = Path.of("target", "node", "node_modules").toAbsolutePath();

  private NodeScript() {}

  static void need(String module) {
    assumeTrue(Files.isDirectory(MODULES.resolve(module)), "no " + module + " in " + MODULES);
  }

  /** Runs a script to its end, and returns what it has written. */
  static String run(String name, String... arguments) throws IOException {
    return runFile(Path.of("src/test/resources/dev/weir/bench/interop", name), arguments);
  }

  /** Runs a program of a package, as {@link #run} does. */
  static String runModule(String file, String... arguments) throws IOException {
    return runFile(MODULES.resolve(file), arguments);
  }

  /** Runs a script of any place, as {@link #run} does. */
  static String runFile(Path script, String... arguments) throws IOException {
    ProcessBuilder node = new ProcessBuilder("node", script.toString());
    node.command().addAll(List.of(arguments));
    node.environment().put("NODE_PATH", MODULES.toString());
    Process process = node.redirectErrorStream(true).start();
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }
}
