package dev.weir.bench.http2;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.ReportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench http2}: has a sidecar bear open streams and abuse, prints the report. */
@Command(
    name = "http2",
    description = "What do open streams of HTTP/2 take, and what does each kind of abuse cost?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts all it needs itself, on 127.0.0.1; Weir",
      "by its launcher, so WEIR_JAVA_HOME and WEIR_JAVA_OPTS count: with",
      "-XX:NativeMemoryTracking=summary in them, memory tells buffers apart. Needs Linux."
    })
public final class Http2Command implements Callable<Integer> {
  private static final String MEMORY = "memory";
  private static final String ABUSE = "abuse";
  private static final String ABUSE_TLS = "abuse-tls";

  private static final String STREAMS =
      """
      400 connections of 100 streams, all open at once; their requests wait for a service that answers none.
      """;

  private static final String ROWS =
      """
      Each row for %s s, one client at a time beside another that asks for something each 5 ms. *ns per byte* is
      processor time that the sidecar took beyond what the other client costs, by what the attacker sent; there is none
      of an honest client.
      """;

  @Mixin private ReportOptions report;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "memory,abuse,abuse-tls",
      description = {
        "memory: 40,000 open streams. abuse: each kind of abuse beside its honest twin; abuse-tls:",
        "over TLS (default: all)."
      })
  private List<String> parts;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "Of each kind of abuse (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  public Integer call() throws IOException {
    report.check();
    report.expectEach("--parts", parts, List.of(MEMORY, ABUSE, ABUSE_TLS));
    report.expectSeconds("--seconds", seconds, 0.1, 60);
    final MarkdownReport text =
        new MarkdownReport("What HTTP/2 through a sidecar withstands", report.command());
    final Path launcher =
        WeirLauncher.find().orElseThrow(() -> new IOException("no launcher beside these classes"));
    text.fact(WeirLauncher.version(launcher));
    for (String part : parts) {
      try (TemporaryFolder folder = new TemporaryFolder("weir-bench-http2");
          Http2Service service = new Http2Service()) {
        final ServerCertificate certificate =
            part.equals(ABUSE_TLS) ? ServerCertificate.make(folder.path()) : null;
        final String settings = settings(part, service.port(), certificate);
        try (SidecarProcess weir =
            new SidecarProcess(launcher, settings, own(folder), Cores.UNPINNED)) {
          text.section(part);
          if (part.equals(MEMORY)) {
            text.paragraph(STREAMS);
            text.table(new OpenStreams(weir).run());
          } else {
            text.paragraph(ROWS, seconds);
            text.table(new AbuseBench(weir, certificate != null, seconds, report::progress).run());
          }
        }
      }
    }
    report.print(text.markdown());
    return 0;
  }

  private static Path own(TemporaryFolder folder) throws IOException {
    return Files.createDirectory(folder.path().resolve("weir"));
  }

  private static String settings(String part, int servicePort, ServerCertificate certificate) {
    final String scheme = certificate == null ? "" : "https://";
    return "listen: "
        + scheme
        + "127.0.0.1:<port>\nupstream: h2c://127.0.0.1:"
        + servicePort
        + "\n"
        + (certificate == null
            ? ""
            : "tls: {certificate: " + certificate.chain() + ", key: " + certificate.key() + "}\n")
        + (part.equals(MEMORY) ? OpenStreams.SETTINGS : AbuseBench.SETTINGS)
        + "rules:\n  - {id: all, key: ip, limit: 1000000/1s}\n";
  }
}
