package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.Machine;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Option;

/** The flags of the commands that start a store and measure it. */
final class StoreOptions extends RoundOptions {
  private static final double MIN_SECONDS = 0.05;
  private static final double MAX_SECONDS = 60;

  @Option(
      names = "--redis-server",
      paramLabel = "PATH",
      description = "The program to start (default: redis-server on PATH).")
  private Path redisServer;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "4",
      description = "Of each measurement (default: ${DEFAULT-VALUE}).")
  private double seconds;

  /** All that the flags say, if they are right. */
  Rounds checked() {
    check();
    expectSeconds("--seconds", seconds, MIN_SECONDS, MAX_SECONDS);
    final Path program = program();
    expect("--redis-server", program, Files.isExecutable(program), "a program that is installed");
    final Rounds rounds =
        new Rounds(rounds(), seconds, Math.min(0.3, seconds), Cores.find(), this::progress);
    rounds.cores().pinClient();
    return rounds;
  }

  /** Starts a store, on the server's core; after a check. */
  RedisServer start(Rounds rounds) throws IOException {
    return new RedisServer(program(), rounds.cores());
  }

  private Path program() {
    final Path usual = Path.of("redis-server");
    return redisServer != null ? redisServer : Programs.find("redis-server").orElse(usual);
  }

  /** Adds to a report how its figures were measured. */
  static void describe(MarkdownReport report, Rounds rounds, RedisServer server)
      throws IOException {
    report.fact("Started " + Instant.now().truncatedTo(ChronoUnit.MINUTES));
    report.fact("Redis " + server.version() + ", no persistence, one thread; JDK " + Machine.jdk());
    report.fact(rounds.cores().text("Server", "client"));
    report.fact(
        "Medians of %d rounds of %s s (least..most), variants interleaved, each after a warm-up of"
            + " %s s",
        rounds.count(), rounds.seconds(), rounds.warmUpSeconds());
  }
}
