package dev.weir.bench.scenario;

import dev.weir.bench.scenario.ScenarioSettings.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * Gives a command the flags of a scenario: a file, flags that are named as what stands in it, or
 * both.
 */
public final class ScenarioFlags implements IModelTransformer {
  /** Names, parameter, kind and meaning of each flag. */
  private static final String FLAGS =
      """
      -s, --scenario            | FILE   | text    | YAML with the names of these flags; flags win \
      over it.
      --name                    | TEXT   | text    | What the report calls the run.
      -r, --rate                | N      | text    | Requests per second, whatever the target does.
      -d, --duration            | T      | text    | How long is measured (default: 10s).
      -l, --load                | STAGE  | several | Instead of a rate, stages behind each other: \
      rate=N, ramp=A..B, steps=A..B,by=N,%nsine=A..B,period=T or burst=N,every=T[,base=N],%neach \
      with ,for=T.
      --max                     | -      | switch  | Instead of a rate, as much as the connections \
      take (a closed loop).
      --warm-up                 | T      | text    | Before it is measured, at the mean rate \
      (default: 2s).
      -c, --connections         | N      | text    | In all (default: 16).
      --protocol                | NAME   | text    | http/1.1, h2, h2c or grpc (default: http/1.1; \
      grpc with --grpc).
      --streams                 | N      | text    | At once on each connection, with HTTP/2 \
      (default: 16).
      --requests-per-connection | N      | text    | After which it is closed, and another opened \
      (default: never).
      -X, --method              | METHOD | text    | GET by default; POST with a body.
      -H, --header              | FIELD  | several | 'NAME: VALUE' of every request; {key} stands \
      for its key.
      --body                    | TEXT   | text    | {key} stands for the key.
      --body-file               | FILE   | text    | As it is.
      --grpc                    | METHOD | text    | Calls package.Service/Method instead of the \
      URL's path.
      --message                 | JSON   | text    | Of the call; {key} stands for the key. Takes \
      --descriptor.
      --message-file            | FILE   | text    | The call's message as it is on the wire, \
      without its prefix.
      --descriptor              | FILE   | text    | What protoc --include_imports \
      --descriptor_set_out=FILE writes.
      -k, --keys                | KEYS   | text    | one, uniform:N, zipf:N:S, hot:N:P%% or \
      file:PATH (default: one).
      --timeout                 | T      | text    | After which a request is given up (default: \
      5s).
      -t, --threshold           | TEXT   | several | What must hold: p99<2ms, errors<0.1%%, \
      refused==40, rate>=1000.
      --event-loops             | N      | text    | Threads that send and receive (default: one \
      per core).
      --transport               | NAME   | text    | auto (epoll, else nio), io_uring, epoll or \
      nio (default: auto).
      --ca                      | FILE   | text    | Certificates to trust, PEM (default: the \
      system's).
      --insecure                | -      | switch  | Takes any certificate.
      --no-resumption           | -      | switch  | Makes a full TLS handshake for each connection.
      """;

  @Override
  public CommandSpec transform(CommandSpec spec) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .paramLabel("URL")
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .description("Where requests go; {key} stands for the key of a request.")
            .build());
    for (String row : FLAGS.split("\n")) {
      final String[] cells = row.split(" *[|] ");
      final OptionSpec.Builder option =
          OptionSpec.builder(cells[0].split(", ")).description(cells[3]);
      switch (cells[2]) {
        case "switch" -> option.type(boolean.class);
        case "several" -> option.paramLabel(cells[1]).type(List.class).auxiliaryTypes(String.class);
        default -> option.paramLabel(cells[1]).type(String.class);
      }
      spec.addOption(option.build());
    }
    return spec;
  }

  /** Settings of the file and of the flags together; a flag wins over the file. */
  public static Scenario scenario(CommandSpec spec) throws BadScenarioException {
    final ParseResult given = spec.commandLine().getParseResult();
    final ScenarioSettings settings = new ScenarioSettings();
    final List<String> faults = new ArrayList<>();
    final String file = given.matchedOptionValue("--scenario", null);
    if (file != null) {
      ScenarioFile.read(Path.of(file), settings, faults);
    }
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
    replace(settings.stages, "--load", given.matchedOptionValue("--load", null));
    replace(settings.thresholds, "--threshold", given.matchedOptionValue("--threshold", null));
    final List<String> headers = given.matchedOptionValue("--header", List.of());
    headers.forEach(header -> request.addHeader(new Setting("--header", header)));
    settings.common.override(request);
    settings.requests.forEach(one -> one.override(request));
    final List<String> targets = spec.positionalParameters().get(0).getValue();
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
