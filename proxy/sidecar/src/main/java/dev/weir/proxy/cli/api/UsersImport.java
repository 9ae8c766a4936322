package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir users import}. */
@Command(
    name = "import",
    description = {
      "Writes users, one a line of JSON (NDJSON): {\"id\": \"ann\", \"record\": {\"tier\":"
          + " \"premium\"}}.",
      "A record of null removes the user. With \"if-match\": \"17-9f3a21bc\" a line is refused if"
          + " the user has another version.",
      "A line that is refused stops no other. If it ends half-way, run it again: a user who has"
          + " the record already keeps it."
    })
final class UsersImport extends ApiCommand {
  private static final int LINES = 1_000;

  /** The most characters of a request: of that many lines are records of usual length. */
  private static final int MAX_CHARACTERS = 1 << 20;

  private static final int MULTIPLE_CHOICES = 300;

  @Parameters(paramLabel = "FILE", description = "Lines of JSON; - for standard input.")
  private String file;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  private final StringBuilder batch = new StringBuilder();
  private int batchLines;
  private long linesBefore;
  private long written;
  private long refused;
  private int exitCode = ExitCode.OK;

  @Override
  int run(Api api) throws ApiFault {
    try (InputStream in = file.equals("-") ? System.in : Files.newInputStream(Path.of(file));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (batchLines == LINES || batch.length() + line.length() > MAX_CHARACTERS) {
          send(api);
        }
        batch.append(line).append('\n');
        batchLines++;
      }
      send(api);
    } catch (IOException e) {
      throw new ApiFault(ExitCode.USAGE, file + ": " + e.getMessage());
    } finally {
      err().println("written " + written + ", refused " + refused);
    }
    return exitCode;
  }

  private void send(Api api) throws ApiFault {
    if (batchLines == 0) {
      return;
    }
    for (String result : answer(api).body().split("\n")) {
      take(result);
    }
    linesBefore += batchLines;
    batchLines = 0;
    batch.setLength(0);
  }

  private Api.Reply answer(Api api) throws ApiFault {
    try {
      return api.post("/users:batch")
          .because(reason)
          .body("application/x-ndjson", batch.toString())
          .sendPatiently();
    } catch (ApiFault fault) {
      throw new ApiFault(
          fault.exitCode(), "lines from " + (linesBefore + 1) + ": " + fault.getMessage());
    }
  }

  /** Takes the result of a line: {@code {"line":1,"id":"ann","status":200,"etag":"..."}}. */
  private void take(String text) throws ApiFault {
    Map<?, ?> result;
    try {
      result = JsonText.read(text, MAX_CHARACTERS) instanceof Map<?, ?> object ? object : Map.of();
    } catch (BadRecordException noJson) {
      result = Map.of();
    }
    if (!(result.get("status") instanceof Number status)
        || !(result.get("line") instanceof Number line)) {
      throw new ApiFault(ExitCode.UNAVAILABLE, "no answer of the API: " + JsonText.shown(text));
    }
    if (status.intValue() < MULTIPLE_CHOICES) {
      written++;
    } else {
      refused++;
      exitCode = Math.max(exitCode, ExitCode.of(status.intValue()));
      err().println("line " + (linesBefore + line.longValue()) + ": " + faults(result));
    }
    if (isJson()) {
      out().println(text);
    }
  }

  private static String faults(Map<?, ?> result) {
    String detail = JsonText.printable(String.valueOf(result.get("detail")));
    return result.get("errors") instanceof List<?> errors && !errors.isEmpty()
        ? String.join("; ", errors.stream().map(Api::fault).toList())
        : detail;
  }
}
