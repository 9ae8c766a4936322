package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.UserRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** A command about one user. */
abstract class UserCommand extends ApiCommand {
  @Parameters(paramLabel = "USER", description = "The user's identity, as requests have it.")
  private String id;

  final String id() {
    return id;
  }

  final String path() {
    return "/users/" + Api.encoded(id);
  }

  /** Prints a user's record: what it says, one row each. */
  final void printUser(Api.Reply reply) throws ApiFault {
    if (isJson()) {
      out().println(reply.body().strip());
      return;
    }
    Map<String, Object> user = reply.object();
    List<Map<String, Object>> rows = new ArrayList<>();
    add(rows, "user", user.get("id"));
    add(rows, "version", user.get("etag"));
    if (user.get("record") instanceof Map<?, ?> record) {
      add(rows, "tier", record.get("tier"));
      addMembers(rows, "limit ", record.get("limits"));
      addMembers(rows, "override ", record.get("override"));
    }
    table(rows);
  }

  private static void add(List<Map<String, Object>> rows, String name, Object value) {
    if (value != null) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("what", name);
      row.put("value", value);
      rows.add(row);
    }
  }

  private static void addMembers(List<Map<String, Object>> rows, String prefix, Object members) {
    if (members instanceof Map<?, ?> object) {
      object.forEach((name, value) -> add(rows, prefix + name, value));
    }
  }

  /** The record in an answer. */
  static UserRecord record(Api.Reply reply) throws ApiFault {
    try {
      return UserRecord.parse(JsonText.write(reply.object().get("record")));
    } catch (BadRecordException newer) {
      throw new ApiFault(ExitCode.UNAVAILABLE, "record: " + newer.getMessage());
    }
  }
}
