package dev.weir.bench.scenario;

import dev.weir.bench.scenario.ScenarioSettings.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** A scenario on the command line: a file, flags that are named as what stands in it, or both. */
public final class ScenarioFlags {
  @Parameters(
      paramLabel = "URL",
      arity = "0..*",
      description = "Where requests go; {key} stands for the key of a request.")
  private List<String> targets;

  @Option(
      names = {"-s", "--scenario"},
      paramLabel = "FILE",
      description = "YAML with the names of these flags; flags win over it.")
  private Path scenario;

  @Option(names = "--name", paramLabel = "TEXT", description = "What the report calls the run.")
  private String name;

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "N",
      description = "Requests per second, whatever the target does.")
  private String rate;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "T",
      description = "How long is measured (default: 10s).")
  private String duration;

  @Option(
      names = {"-l", "--load"},
      paramLabel = "STAGE",
      description = {
        "Instead of a rate, stages behind each other: rate=N, ramp=A..B, steps=A..B,by=N,",
        "sine=A..B,period=T or burst=N,every=T[,base=N], each with ,for=T."
      })
  private List<String> stages;

  @Option(
      names = "--max",
      description = "Instead of a rate, as much as the connections take (a closed loop).")
  private boolean max;

  @Option(
      names = "--warm-up",
      paramLabel = "T",
      description = "Before it is measured, at the mean rate (default: 2s).")
  private String warmUp;

  @Option(
      names = {"-c", "--connections"},
      paramLabel = "N",
      description = "In all (default: 16).")
  private String connections;

  @Option(
      names = "--protocol",
      paramLabel = "NAME",
      description = "http/1.1, h2, h2c or grpc (default: http/1.1; grpc with --grpc).")
  private String protocol;

  @Option(
      names = "--streams",
      paramLabel = "N",
      description = "At once on each connection, with HTTP/2 (default: 16).")
  private String streams;

  @Option(
      names = "--requests-per-connection",
      paramLabel = "N",
      description = "After which it is closed, and another opened (default: never).")
  private String requestsPerConnection;

  @Option(
      names = {"-X", "--method"},
      paramLabel = "METHOD",
      description = "GET by default; POST with a body.")
  private String method;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "FIELD",
      description = "'NAME: VALUE' of every request; {key} stands for its key.")
  private List<String> headers;

  @Option(names = "--body", paramLabel = "TEXT", description = "{key} stands for the key.")
  private String body;

  @Option(names = "--body-file", paramLabel = "FILE", description = "As it is.")
  private String bodyFile;

  @Option(
      names = "--grpc",
      paramLabel = "METHOD",
      description = "Calls package.Service/Method instead of the URL's path.")
  private String grpc;

  @Option(
      names = "--message",
      paramLabel = "JSON",
      description = "Of the call; {key} stands for the key. Takes --descriptor.")
  private String message;

  @Option(
      names = "--message-file",
      paramLabel = "FILE",
      description = "The call's message as it is on the wire, without its prefix.")
  private String messageFile;

  @Option(
      names = "--descriptor",
      paramLabel = "FILE",
      description = "What protoc --include_imports --descriptor_set_out=FILE writes.")
  private String descriptor;

  @Option(
      names = {"-k", "--keys"},
      paramLabel = "KEYS",
      description = "one, uniform:N, zipf:N:S, hot:N:P%% or file:PATH (default: one).")
  private String keys;

  @Option(
      names = "--timeout",
      paramLabel = "T",
      description = "After which a request is given up (default: 5s).")
  private String timeout;

  @Option(
      names = {"-t", "--threshold"},
      paramLabel = "TEXT",
      description = "What must hold: p99<2ms, errors<0.1%%, refused==40, rate>=1000.")
  private List<String> thresholds;

  @Option(
      names = "--event-loops",
      paramLabel = "N",
      description = "Threads that send and receive (default: one per core).")
  private String eventLoops;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      description = "auto (epoll, else nio), io_uring, epoll or nio (default: auto).")
  private String transport;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "Certificates to trust, PEM (default: the system's).")
  private String ca;

  @Option(names = "--insecure", description = "Takes any certificate.")
  private boolean insecure;

  @Option(
      names = "--no-resumption",
      description = "Makes a full TLS handshake for each connection.")
  private boolean noResumption;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /** Settings of the file and of the flags together; a flag wins over the file. */
  public Scenario scenario() throws BadScenarioException {
    final ScenarioSettings settings = new ScenarioSettings();
    final List<String> faults = new ArrayList<>();
    if (scenario != null) {
      ScenarioFile.read(scenario, settings, faults);
    }
    final ParseResult given = spec.commandLine().getParseResult();
    if (given.hasMatchedOption("--rate")
        || given.hasMatchedOption("--load")
        || given.hasMatchedOption("--max")) {
      // One way of saying how much replaces the file's.
      settings.forgetLoad(given.hasMatchedOption("--load"));
    }
    final RequestSettings request = new RequestSettings("the flags");
    for (OptionSpec option : given.matchedOptions()) {
      final String flag = option.longestName();
      final String name = flag.substring(2);
      if (ScenarioSettings.NAMES.contains(name)) {
        settings.set(name, new Setting(flag, option.getValue().toString()));
      } else if (RequestSettings.NAMES.contains(name)) {
        request.set(name, new Setting(flag, option.getValue().toString()));
      }
    }
    replace(settings.stages, "--load", stages);
    replace(settings.thresholds, "--threshold", thresholds);
    if (headers != null) {
      headers.forEach(header -> request.addHeader(new Setting("--header", header)));
    }
    settings.common.override(request);
    settings.requests.forEach(one -> one.override(request));
    if (targets != null) {
      settings.requests.clear();
      replace(settings.targets, "URL", targets);
    }
    return ScenarioReader.read(settings, faults);
  }

  private static void replace(List<Setting> settings, String flag, List<String> texts) {
    if (texts != null) {
      settings.clear();
      texts.forEach(text -> settings.add(new Setting(flag, text)));
    }
  }
}
