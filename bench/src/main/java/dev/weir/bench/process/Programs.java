package dev.weir.bench.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What is installed. */
public final class Programs {
  private static final int ANSWER_SECONDS = 10;

  /** Where Debian has servers, which is on the PATH of administrators alone. */
  private static final List<String> SERVERS = List.of("/usr/local/sbin", "/usr/sbin", "/sbin");

  private Programs() {}

  /** A program by its name, on PATH or where servers are. */
  public static Optional<Path> find(String name) {
    final String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(Stream.of(path.split(File.pathSeparator)), SERVERS.stream())
        .map(folder -> Path.of(folder, name))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  /**
   * What a command prints, on both its outputs.
   *
   * @throws IOException if it cannot be started, or fails.
   */
  public static String output(List<String> command) throws IOException {
    final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    final String text =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1).strip();
    try {
      if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(command.get(0) + " does not end: " + text);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(command.get(0) + " was interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(command.get(0) + " ended with " + process.exitValue() + ": " + text);
    }
    return text;
  }
}
