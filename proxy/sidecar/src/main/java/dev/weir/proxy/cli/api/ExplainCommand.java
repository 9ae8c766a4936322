package dev.weir.proxy.cli.api;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.explain.BadDescriptionException;
import dev.weir.proxy.explain.CurlLine;
import dev.weir.proxy.explain.DescribedRequest;
import dev.weir.proxy.explain.ExplainedRequest;
import dev.weir.proxy.explain.ExplanationJson;
import dev.weir.proxy.explain.ExplanationText;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.wiring.SidecarExplainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir explain}. */
@Command(
    name = "explain",
    description = {
      "Says which rule a request has and why, whose budgets it is charged to, and what is left of"
          + " them. Charges nothing.",
      "Asks a running sidecar, or a settings file, which knows no budgets."
    },
    sortOptions = false,
    customSynopsis = {
      "weir explain [-c FILE | --admin ADDRESS] [--output table|json] [FLAG...] [URL]",
      "       weir explain [-c FILE | --admin ADDRESS] [--output table|json] [--from ADDRESS]",
      "                    -- curl [OPTION...] URL"
    },
    footer = {
      "",
      "  weir explain -c weir.yaml --path /orders -H 'x-user-id: 7'",
      "  weir explain -- curl -X POST https://api.example.com/v1/chat -H 'x-user-id: 7'"
    })
public final class ExplainCommand extends ApiCommand {
  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Settings and rules in YAML, instead of a running sidecar.")
  private Path file;

  @Option(names = "--method", paramLabel = "NAME", description = "By default GET.")
  private String method;

  @Option(names = "--path", paramLabel = "PATH", description = "With its query; or give a URL.")
  private String path;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description = "By default that of the URL, or localhost.")
  private String host;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "'NAME: VALUE'",
      description = "A field of the request; any number of times.")
  private List<String> headers = List.of();

  @Option(
      names = "--from",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "From where it is sent (default ${DEFAULT-VALUE}).")
  private String from;

  @Option(
      names = "--grpc",
      paramLabel = "METHOD",
      description = "A gRPC call instead: package.Service/Method.")
  private String grpc;

  @Parameters(arity = "0..*", paramLabel = "URL", description = "Or, behind --, a line of curl.")
  private List<String> words = List.of();

  /** Explains by the file, if there is one: then no sidecar is asked, and no token read. */
  @Override
  int run() throws ApiFault {
    return file == null ? super.run() : explain();
  }

  @Override
  int run(Api api) throws ApiFault {
    DescribedRequest request = request();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("method", request.method());
    body.put("path", request.target());
    body.put("host", request.host());
    body.put("from", request.from().toString());
    body.put("header", request.fields());
    String format = isJson() ? "json" : "text";
    out()
        .print(
            api.post("/explain").with("format", format).json(JsonText.write(body)).send().body());
    return ExitCode.OK;
  }

  private DescribedRequest request() throws ApiFault {
    try {
      return described().from(from).build();
    } catch (BadDescriptionException bad) {
      throw new ApiFault(ExitCode.USAGE, bad.getMessage());
    }
  }

  private DescribedRequest.Builder described() throws BadDescriptionException {
    if (!words.isEmpty() && words.get(0).equals("curl")) {
      DescribedRequest.Builder request = CurlLine.read(words.subList(1, words.size()));
      return withFlags(request);
    }
    DescribedRequest.Builder request = withFlags(new DescribedRequest.Builder());
    if (words.size() > 1) {
      throw new BadDescriptionException("URL", "more than one", "one; or -- curl ...");
    }
    if (!words.isEmpty() && path != null) {
      throw new BadDescriptionException("URL", "beside --path", "one of them");
    }
    if (!words.isEmpty()) {
      request.url(words.get(0));
    }
    return request;
  }

  private DescribedRequest.Builder withFlags(DescribedRequest.Builder request)
      throws BadDescriptionException {
    if (method != null) {
      request.method(method);
    }
    if (path != null) {
      request.path(path);
    }
    if (host != null) {
      request.host(host);
    }
    if (grpc != null) {
      request.grpc(grpc);
    }
    for (String header : headers) {
      request.field(header);
    }
    return request;
  }

  private int explain() throws ApiFault {
    checkOutput();
    DescribedRequest request = request();
    Faults faults = Faults.ofFile(file.toString());
    try {
      Settings settings = new SettingsFile().read(file, faults);
      if (settings == null) {
        throw new ApiFault(ExitCode.USAGE, faults.toString());
      }
      ExplainedRequest explained = SidecarExplainer.explain(settings, request);
      out().print(isJson() ? ExplanationJson.of(explained) : ExplanationText.of(explained));
      return ExitCode.OK;
    } catch (IOException | BadDescriptionException bad) {
      throw new ApiFault(ExitCode.USAGE, bad.getMessage());
    }
  }
}
