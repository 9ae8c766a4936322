package dev.weir.proxy.cli;

import dev.weir.proxy.cli.api.AdminPort;
import dev.weir.proxy.control.AddressText;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.explain.BadDescriptionException;
import dev.weir.proxy.explain.CurlLine;
import dev.weir.proxy.explain.DescribedRequest;
import dev.weir.proxy.explain.ExplainedRequest;
import dev.weir.proxy.explain.ExplanationJson;
import dev.weir.proxy.explain.ExplanationText;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.SidecarExplainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir explain}. */
@Command(
    name = "explain",
    description = {
      "Says which rule a request has and why, whose budgets it is charged to, and what is left of"
          + " them. Charges nothing.",
      "Asks a running sidecar, or a settings file, which knows no budgets."
    },
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    sortOptions = false,
    customSynopsis = {
      "weir explain [-c FILE | --admin ADDRESS] [--output text|json] [FLAG...] [URL]",
      "       weir explain [-c FILE | --admin ADDRESS] [--output text|json] [--from ADDRESS]",
      "                    -- curl [OPTION...] URL"
    },
    footer = {
      "",
      "  weir explain -c weir.yaml --path /orders -H 'x-user-id: 7'",
      "  weir explain -- curl -X POST https://api.example.com/v1/chat -H 'x-user-id: 7'"
    })
public final class ExplainCommand implements Callable<Integer> {
  private static final int HTTP_OK = 200;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Settings and rules in YAML, instead of a running sidecar.")
  private Path file;

  @Option(
      names = "--admin",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1:9090",
      description = "The admin port of a running sidecar (default ${DEFAULT-VALUE}).")
  private String admin;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text (default) or json.")
  private String output;

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

  @Override
  public Integer call() {
    try {
      if (!List.of("text", "json").contains(output)) {
        return wrong("--output: unknown (expected: text or json)");
      }
      DescribedRequest request = described().from(from).build();
      return file == null ? ask(request) : explain(request);
    } catch (BadDescriptionException | IOException bad) {
      return wrong(bad.getMessage());
    } catch (BadValueException bad) {
      return wrong("--admin: " + bad.value() + " (expected: " + bad.expected() + ")");
    }
  }

  private int wrong(String fault) {
    spec.commandLine().getErr().println(fault);
    Program.pointToHelp(spec.commandLine().getErr(), spec.qualifiedName());
    return Program.WRONG;
  }

  private DescribedRequest.Builder described() throws BadDescriptionException {
    if (!words.isEmpty() && words.get(0).equals("curl")) {
      DescribedRequest.Builder request = CurlLine.read(words.subList(1, words.size()));
      return withFlags(request);
    }
    DescribedRequest.Builder request = withFlags(new DescribedRequest.Builder());
    if (words.size() > 1) {
      throw new BadDescriptionException("URL", "more than one (expected: one; or -- curl ...)");
    }
    if (!words.isEmpty() && path != null) {
      throw new BadDescriptionException("URL", "beside --path (expected: one of them)");
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

  private int explain(DescribedRequest request) throws IOException, BadDescriptionException {
    Faults faults = Faults.ofFile(file.toString());
    Settings settings = new SettingsFile().read(file, faults);
    if (settings == null) {
      spec.commandLine().getErr().println(faults);
      return Program.WRONG;
    }
    ExplainedRequest explained = SidecarExplainer.explain(settings, request);
    boolean isJson = output.equals("json");
    print(isJson ? ExplanationJson.of(explained) : ExplanationText.of(explained));
    return Program.OK;
  }

  private int ask(DescribedRequest request) throws IOException {
    AdminPort.Parameters parameters =
        new AdminPort.Parameters()
            .add("format", output)
            .add("method", request.method())
            .add("path", request.target())
            .add("host", request.host())
            .add("from", request.from().toString());
    request.fields().forEach(field -> parameters.add("header", field));
    AdminPort.Answer answer =
        new AdminPort(AddressText.parseServer(admin)).get("/explain", parameters);
    if (answer.status() != HTTP_OK) {
      spec.commandLine().getErr().print(answer.body());
      spec.commandLine().getErr().flush();
      return Program.WRONG;
    }
    print(answer.body());
    return Program.OK;
  }

  private void print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }
}
