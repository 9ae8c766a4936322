package dev.weir.bench.compare;

import dev.weir.bench.rounds.ReportOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Flags that say which proxies take part. */
final class ContenderOptions {
  @Option(
      names = "--contenders",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "nginx,haproxy,weir-io_uring,weir-epoll",
      description = "Proxies (default: ${DEFAULT-VALUE}).")
  private List<String> contenders;

  @Option(
      names = "--earlier",
      paramLabel = "FOLDER",
      description = "Of another version of Weir: takes part beside this one, as earlier-*.")
  private Path earlier;

  /** The contenders that take part; wrong flags are told to {@code report}. */
  List<Contender> checked(ReportOptions report) {
    report.expectEach("--contenders", contenders, Contenders.names());
    report.expect(
        "--earlier",
        earlier,
        earlier == null || Files.isExecutable(earlier.resolve("weir")),
        "a folder with the launcher, weir");
    return Contenders.of(contenders, earlier);
  }
}
