package dev.weir.proxy.manual;

import dev.weir.proxy.rig.RecordingOrigin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A row of a table of traffic: what is sent, and what comes back.
 *
 * <p>The first cell has a method and a path in backticks, and header fields. Words around them say
 * the rest: {@code 6 s later}, {@code 10 times}, {@code from 192.0.2.1}, {@code with 3 MiB}, {@code
 * with a token of ann}; {@code answered 200 with X-Tokens 900} is the service's answer, which is
 * else 200; {@code the same} is the request of the row above. The second cell has a status, fields
 * that the answer must have, or with {@code no} before them must not have, and other texts in
 * backticks, which its body must have. {@code after 200 ms} means that it comes no earlier.
 *
 * @param request in HTTP/1.1, without its body; null for that of the row above.
 * @param later by how much time passes before it.
 * @param bodyBytes of its content.
 * @param service the service's answer, in HTTP/1.1.
 * @param expected fields and parts of the body, as they are written.
 * @param absent names of fields.
 * @param held how long the answer takes.
 */
record TrafficRow(
    String text,
    String request,
    Duration later,
    int times,
    int bodyBytes,
    String service,
    int status,
    List<String> expected,
    List<String> absent,
    Duration held) {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern REQUEST = Pattern.compile("([A-Z]+) (/\\S*)");
  private static final Pattern FIELD = Pattern.compile("[A-Za-z-]+: .*");
  private static final String TIME = "(\\d+) (ms|s|minutes?|hours?|days?)";
  private static final Pattern LATER = Pattern.compile(TIME + " later");
  private static final Pattern AFTER = Pattern.compile("after " + TIME);
  private static final Pattern TIMES = Pattern.compile("(\\d+) times");
  private static final Pattern FROM = Pattern.compile("from ([0-9a-f.:]+)");
  private static final Pattern BODY = Pattern.compile("with (\\d+) MiB");
  private static final Pattern TOKEN = Pattern.compile("with a token of (\\w+)");
  private static final Pattern ANSWERED =
      Pattern.compile("answered (\\d{3})(?: with ([A-Za-z-]+) (\\d+))?");
  private static final Pattern STATUS = Pattern.compile("^(\\d{3})\\b");
  private static final Pattern ABSENT = Pattern.compile("no `([^`]+)`");
  private static final Pattern SAME = Pattern.compile("the same");

  /**
   * Reads a row.
   *
   * @param tokens of users, by their names.
   */
  static TrafficRow of(String line, Map<String, String> tokens) {
    String[] cells = line.substring(2, line.length() - 2).split(" \\| ", 2);
    String words = CODE.matcher(cells[0]).replaceAll("");
    checkAllRead(line, words, LATER, TIMES, FROM, BODY, TOKEN, ANSWERED, SAME);
    String answer = ABSENT.matcher(cells[1]).replaceAll("");
    checkAllRead(line, answer, CODE, STATUS, AFTER);
    return new TrafficRow(
        line,
        SAME.matcher(words).find() ? null : request(cells[0], words, tokens),
        time(LATER, words),
        number(TIMES, words, 1),
        number(BODY, words, 0) << 20,
        service(words),
        number(STATUS, answer, 0),
        codes(answer),
        ABSENT.matcher(cells[1]).results().map(found -> found.group(1)).toList(),
        time(AFTER, answer));
  }

  private static void checkAllRead(String line, String text, Pattern... patterns) {
    String left = text;
    for (Pattern pattern : patterns) {
      left = pattern.matcher(left).replaceAll("");
    }
    if (!left.isBlank()) {
      throw new IllegalArgumentException(line + " (expected: no words such as " + left + ")");
    }
  }

  private static String request(String cell, String words, Map<String, String> tokens) {
    List<String> codes = codes(cell);
    if (codes.isEmpty() || !REQUEST.matcher(codes.get(0)).matches()) {
      throw new IllegalArgumentException(cell + " (expected: a method and a path first)");
    }
    List<String> lines = new ArrayList<>(List.of(codes.get(0) + " HTTP/1.1"));
    lines.addAll(codes.subList(1, codes.size()));
    for (String field : lines.subList(1, lines.size())) {
      if (!FIELD.matcher(field).matches()) {
        throw new IllegalArgumentException(field + " (expected: a header field)");
      }
    }
    if (lines.stream().noneMatch(field -> field.startsWith("Host: "))) {
      lines.add("Host: example.com");
    }
    FROM.matcher(words).results().forEach(of -> lines.add("X-Forwarded-For: " + of.group(1)));
    TOKEN
        .matcher(words)
        .results()
        .forEach(of -> lines.add("Authorization: Bearer " + tokens.get(of.group(1))));
    return String.join("\r\n", lines) + "\r\n";
  }

  private static String service(String words) {
    Matcher found = ANSWERED.matcher(words);
    if (!found.find()) {
      return RecordingOrigin.OK;
    }
    String field = found.group(2) == null ? "" : "\r\n" + found.group(2) + ": " + found.group(3);
    return RecordingOrigin.OK.replace("200 OK", found.group(1) + " Said" + field);
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  private static int number(Pattern pattern, String text, int otherwise) {
    Matcher found = pattern.matcher(text);
    return found.find() ? Integer.parseInt(found.group(1)) : otherwise;
  }

  private static Duration time(Pattern pattern, String text) {
    Duration time = Duration.ZERO;
    for (MatchResult found : pattern.matcher(text).results().toList()) {
      long count = Long.parseLong(found.group(1));
      time =
          time.plus(
              switch (found.group(2).charAt(0)) {
                case 's' -> Duration.ofSeconds(count);
                case 'h' -> Duration.ofHours(count);
                case 'd' -> Duration.ofDays(count);
                default ->
                    found.group(2).equals("ms")
                        ? Duration.ofMillis(count)
                        : Duration.ofMinutes(count);
              });
    }
    return time;
  }

  /** Whether a text of the second cell is a header field, or else a part of the body. */
  static boolean isField(String expected) {
    return FIELD.matcher(expected).matches();
  }
}
