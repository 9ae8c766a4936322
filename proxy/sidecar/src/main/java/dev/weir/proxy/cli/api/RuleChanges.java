package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What a write of rules changes, as text: a line for each record, and below it a line for each
 * value that differs.
 *
 * @param rows of an answer of the API: kind, id, action, before, after.
 */
record RuleChanges(List<Map<?, ?>> rows, List<String> warnings) {
  static RuleChanges of(Api.Reply reply) throws ApiFault {
    Map<String, Object> answer = reply.object();
    List<String> warnings =
        answer.get("warnings") instanceof List<?> list
            ? list.stream().map(String::valueOf).map(JsonText::printable).toList()
            : List.of();
    return new RuleChanges(ApiCommand.rows(answer, "changes"), warnings);
  }

  /** Prints the answer to a write; returns the exit code. */
  static int print(ApiCommand command, Api.Reply reply) throws ApiFault {
    Map<String, Object> answer = reply.object();
    if (command.isJson()) {
      command.out().println(reply.body().strip());
    } else {
      RuleChanges changes = of(reply);
      changes.warnings().forEach(warning -> command.err().println(warning));
      command.out().print(changes.text());
      command.out().println("version " + reply.etag());
    }
    return answer.containsKey("sidecars") ? follow(command, answer.get("sidecars")) : ExitCode.OK;
  }

  /** Tells how many sidecars follow, of those that it was waited for. */
  private static int follow(ApiCommand command, Object told) {
    if (!(told instanceof Map<?, ?> sidecars)) {
      command.err().println("in use by nobody knows how many sidecars: the store does not tell");
      return ExitCode.NOT_EVERYWHERE;
    }
    Object using = sidecars.get("using");
    Object live = sidecars.get("live");
    Object refusing = sidecars.get("refusing");
    boolean isRefused = refusing instanceof BigDecimal count && count.signum() > 0;
    if (!command.isJson()) {
      String refused = isRefused ? ", refused by " + refusing : "";
      command.out().println("in use by " + using + " of " + live + " sidecars" + refused);
    }
    return using != null && using.equals(live) ? ExitCode.OK : ExitCode.NOT_EVERYWHERE;
  }

  boolean isNone() {
    return rows.isEmpty();
  }

  String text() {
    StringBuilder text = new StringBuilder();
    for (Map<?, ?> row : rows) {
      Object before = row.get("before");
      Object after = row.get("after");
      String sign = before == null ? "+ " : after == null ? "- " : "~ ";
      text.append(sign + row.get("kind") + " " + JsonText.shown(row.get("id"))).append('\n');
      if (before != null && after != null) {
        addDifference("", before, after, text);
      } else {
        line("", before, after, text);
      }
    }
    return text.toString();
  }

  private static void addDifference(
      String pointer, Object before, Object after, StringBuilder text) {
    if (before instanceof Map<?, ?> from && after instanceof Map<?, ?> to) {
      Set<Object> names = new LinkedHashSet<>(from.keySet());
      names.addAll(to.keySet());
      names.forEach(
          name ->
              addDifference(
                  JsonText.pointer(pointer, (String) name), from.get(name), to.get(name), text));
    } else if (!Objects.equals(before, after)) {
      line(pointer, before, after, text);
    }
  }

  private static void line(String pointer, Object before, Object after, StringBuilder text) {
    text.append("    ").append(pointer.isEmpty() ? "" : JsonText.printable(pointer) + ": ");
    text.append(before == null ? "" : JsonText.printable(JsonText.write(before)));
    text.append(before == null || after == null ? "" : " -> ");
    text.append(before != null && after == null && !pointer.isEmpty() ? " removed" : "");
    text.append(after == null ? "" : JsonText.printable(JsonText.write(after))).append('\n');
  }
}
