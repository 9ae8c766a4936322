package dev.weir.bench.compare;

import dev.weir.bench.rounds.ReportOptions;
import dev.weir.proxy.loop.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** All proxies that can be compared, and the flags that say which of them take part. */
final class Contenders {
  /** In the order in which they take turns. */
  static final List<Contender> ALL =
      List.of(
          new Nginx(),
          new HaProxy(),
          new WeirSidecar(TransportKind.IO_URING),
          new WeirSidecar(TransportKind.EPOLL));

  /** A settings file is not longer than 1 MiB. */
  private static final int MOST_RULES = 10_000;

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

  @Option(
      names = "--rules",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of Weir, all but one for other paths (default: ${DEFAULT-VALUE}).")
  private int rules;

  /** The contenders that take part; wrong flags are told to {@code report}. */
  List<Contender> checked(ReportOptions report) {
    report.expectEach("--contenders", contenders, ALL.stream().map(Contender::name).toList());
    report.expect(
        "--earlier",
        earlier,
        earlier == null || Files.isExecutable(earlier.resolve("weir")),
        "a folder with the launcher, weir");
    report.expectBetween("--rules", rules, 1, MOST_RULES);
    return of(contenders, earlier, rules);
  }

  /**
   * The contenders of these names.
   *
   * @param earlier where the launcher of another version of Weir is, which takes part on the same
   *     transports; null if none does.
   */
  static List<Contender> of(List<String> names, Path earlier) {
    return of(names, earlier, 1);
  }

  private static List<Contender> of(List<String> names, Path earlier, int rules) {
    return ALL.stream()
        .filter(contender -> names.contains(contender.name()))
        .flatMap(
            contender ->
                contender instanceof WeirSidecar weir
                    ? withEarlier(weir.withRules(rules), earlier)
                    : Stream.of(contender))
        .toList();
  }

  private static Stream<Contender> withEarlier(WeirSidecar weir, Path earlier) {
    return earlier == null ? Stream.of(weir) : Stream.of(weir.earlier(earlier), weir);
  }
}
