package dev.weir.bench.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The programs that are installed here. */
public final class Programs {
  /** Time enough for a launcher that builds first. */
  private static final int ANSWER_MINUTES = 10;

  /** Debian's folders of servers, which are on the PATH of administrators alone. */
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
   * A program by its name, as {@link #find} finds it.
   *
   * @throws IOException if there is none.
   */
  public static Path required(String name) throws IOException {
    return find(name).orElseThrow(() -> new IOException("not installed"));
  }

  /**
   * Runs a command; returns all that it prints.
   *
   * @throws IOException if it cannot be started, or fails.
   */
  public static String output(List<String> command) throws IOException {
    final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    final CompletableFuture<String> reading = CompletableFuture.supplyAsync(() -> read(process));
    try {
      if (!process.waitFor(ANSWER_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException(command.get(0) + " has not ended in " + ANSWER_MINUTES + " minutes");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(command.get(0) + " was interrupted", e);
    }
    final String text = reading.join();
    if (process.exitValue() != 0) {
      throw new IOException(command.get(0) + " ended with " + process.exitValue() + ": " + text);
    }
    return text;
  }

  private static String read(Process process) {
    try (InputStream in = process.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
