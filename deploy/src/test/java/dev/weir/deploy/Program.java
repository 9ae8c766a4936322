package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program of this machine, run to its end. */
final class Program {
  private static final long TIMEOUT_SECONDS = 120;

  /** What it has printed, on both streams. */
  record Result(int exitCode, String output) {
    /** Its output, where it has ended well. */
    String succeeded() {
      assertEquals(0, exitCode, output);
      return output;
    }
  }

  private final Path file;

  private Program(Path file) {
    this.file = file;
  }

  /** One on the path, or among the tools of the build; the test is skipped where there is none. */
  static Program find(String name) {
    List<Path> folders = new ArrayList<>(List.of(Repository.TOOLS));
    for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
      folders.add(Path.of(folder));
    }
    folders.add(Path.of("/usr/sbin"));
    for (Path folder : folders) {
      if (Files.isExecutable(folder.resolve(name))) {
        return new Program(folder.resolve(name));
      }
    }
    assumeTrue(false, name + " is not installed here; .ci/run installs it");
    throw new AssertionError();
  }

  @Override
  public String toString() {
    return file.toString();
  }

  static Program at(Path file) {
    return new Program(file);
  }

  Result run(String... arguments) {
    return run(Map.of(), arguments);
  }

  /** With no environment but this. */
  Result run(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of(file.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    if (!environment.isEmpty()) {
      builder.environment().clear();
      builder.environment().putAll(environment);
    }
    try {
      Path output = Files.createTempFile("weir-program", ".txt");
      try {
        Process process = builder.redirectOutput(output.toFile()).start();
        boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(ended, command + " does not end");
        return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
      } finally {
        Files.delete(output);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(command.toString(), e);
    }
  }
}
