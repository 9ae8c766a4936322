package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users export}. */
@Command(
    name = "export",
    description = {
      "Writes all users as lines of JSON (NDJSON), which import reads.",
      "A user that changes meanwhile is written as it was or as it is."
    })
final class UsersExport extends ApiCommand {
  @Option(
      names = {"-o", "--file"},
      paramLabel = "FILE",
      description = "By default standard output.")
  private Path file;

  @Override
  int run(Api api) throws ApiFault {
    if (file == null) {
      export(api, out());
      return ExitCode.OK;
    }
    try (PrintWriter lines =
        new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
      export(api, lines);
      if (lines.checkError()) {
        throw new IOException("not all was written");
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new ApiFault(ExitCode.USAGE, file + ": " + e.getMessage());
    }
  }

  private static void export(Api api, PrintWriter lines) throws ApiFault {
    new UserPages(api, null, null)
        .forEach(
            user -> {
              Map<String, Object> line = new LinkedHashMap<>();
              line.put("id", user.get("id"));
              line.put("record", user.get("record"));
              lines.print(JsonText.write(line) + '\n');
              return true;
            });
  }
}
