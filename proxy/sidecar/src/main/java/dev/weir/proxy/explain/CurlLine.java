package dev.weir.proxy.explain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A command line of curl, as far as it says what is sent. Options that only say what curl does with
 * the answer, or how it connects, are skipped; all others are refused by name, so that no request
 * is explained that curl would not send.
 */
public final class CurlLine {
  /** The long names of options with one letter. */
  private static final Map<Character, String> SHORT =
      Map.ofEntries(
          Map.entry('X', "request"),
          Map.entry('H', "header"),
          Map.entry('d', "data"),
          Map.entry('I', "head"),
          Map.entry('G', "get"),
          Map.entry('A', "user-agent"),
          Map.entry('b', "cookie"),
          Map.entry('e', "referer"),
          Map.entry('u', "user"),
          Map.entry('s', "silent"),
          Map.entry('S', "show-error"),
          Map.entry('v', "verbose"),
          Map.entry('i', "include"),
          Map.entry('k', "insecure"),
          Map.entry('f', "fail"),
          Map.entry('g', "globoff"),
          Map.entry('L', "location"),
          Map.entry('N', "no-buffer"),
          Map.entry('4', "ipv4"),
          Map.entry('6', "ipv6"),
          Map.entry('o', "output"),
          Map.entry('w', "write-out"),
          Map.entry('m', "max-time"));

  /** Options without a value that change nothing of the request. */
  private static final Set<String> SKIPPED =
      Set.of(
          "silent",
          "show-error",
          "verbose",
          "include",
          "insecure",
          "fail",
          "globoff",
          "location",
          "no-buffer",
          "ipv4",
          "ipv6",
          "http1.1",
          "http2",
          "http2-prior-knowledge",
          "no-progress-meter");

  /** Options with a value that change nothing of the request. */
  private static final Set<String> SKIPPED_WITH_VALUE =
      Set.of("output", "write-out", "max-time", "connect-timeout", "cacert");

  private static final Set<String> WITHOUT_VALUE = Set.of("head", "get");

  private final DescribedRequest.Builder request = new DescribedRequest.Builder();
  private final List<String> data = new ArrayList<>();

  /** Fields that curl sends by itself, by name, unless they are given or taken away. */
  private final Map<String, String> own = new LinkedHashMap<>();

  /** The names of fields that {@code -H} sets or takes away. */
  private final Set<String> given = new HashSet<>();

  private String method;
  private String url;
  private boolean isGet;
  private boolean isHead;

  private CurlLine() {
    own.put("user-agent", "curl");
    own.put("accept", "*/*");
  }

  /**
   * Reads a command line.
   *
   * @param words those behind {@code curl}, as a shell splits them.
   * @throws BadDescriptionException naming the option that is not known here.
   */
  public static DescribedRequest.Builder read(List<String> words) throws BadDescriptionException {
    return new CurlLine().readAll(words);
  }

  private DescribedRequest.Builder readAll(List<String> words) throws BadDescriptionException {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String next = i + 1 < words.size() ? words.get(i + 1) : null;
      if (word.equals("--")) {
        continue;
      }
      if (word.startsWith("--")) {
        i += take(word.substring(2), "curl " + name(word), next) ? 1 : 0;
      } else if (word.startsWith("-") && word.length() > 1) {
        i += takeLetters(word, next) ? 1 : 0;
      } else {
        setUrl(word);
      }
    }
    return finish();
  }

  /** The name of an option, without what may stand behind it. */
  private static String name(String word) {
    return word.matches("--[a-z0-9.-]{1,40}") ? word : "--...";
  }

  /** Reads letters that stand together; returns whether the next word was a value. */
  private boolean takeLetters(String word, String next) throws BadDescriptionException {
    for (int i = 1; i < word.length(); i++) {
      String option = SHORT.get(word.charAt(i));
      String shown = "curl -" + word.charAt(i);
      if (option == null) {
        throw notKnown(shown);
      }
      if (!SKIPPED.contains(option) && !WITHOUT_VALUE.contains(option)) {
        String behind = word.substring(i + 1);
        boolean isNext = behind.isEmpty();
        take(option, shown, isNext ? next : behind);
        return isNext;
      }
      take(option, shown, null);
    }
    return false;
  }

  private static BadDescriptionException notKnown(String option) {
    return new BadDescriptionException(option, "not known here, as it may change the request");
  }

  /** Takes an option; returns whether it has the value. */
  private boolean take(String option, String shown, String value) throws BadDescriptionException {
    if (SKIPPED.contains(option)) {
      return false;
    }
    switch (option) {
      case "head" -> {
        isHead = true;
        return false;
      }
      case "get" -> {
        isGet = true;
        return false;
      }
      default -> {
        // with a value
      }
    }
    if (value == null && hasValue(option)) {
      throw new BadDescriptionException(shown, "no value behind it");
    }
    switch (option) {
      case "request" -> method = value;
      case "header" -> addField(value);
      case "data", "data-raw", "data-ascii", "data-binary" -> addData(option, shown, value);
      case "json" -> {
        addData(option, shown, value);
        own.put("content-type", "application/json");
        own.put("accept", "application/json");
      }
      case "user-agent" -> own.put("user-agent", value);
      case "referer" -> own.put("referer", value);
      case "cookie" -> addCookie(shown, value);
      case "user" ->
          own.put(
              "authorization",
              "Basic "
                  + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
      case "oauth2-bearer" -> own.put("authorization", "Bearer " + value);
      case "url" -> setUrl(value);
      default -> {
        if (!SKIPPED_WITH_VALUE.contains(option)) {
          throw notKnown(shown);
        }
      }
    }
    return true;
  }

  private static boolean hasValue(String option) {
    return SHORT.containsValue(option)
        || SKIPPED_WITH_VALUE.contains(option)
        || Set.of("data-raw", "data-ascii", "data-binary", "json", "oauth2-bearer", "url")
            .contains(option);
  }

  private void setUrl(String text) throws BadDescriptionException {
    if (url != null) {
      throw new BadDescriptionException("curl", "two URLs", "one");
    }
    url = text;
  }

  /** A field; {@code NAME:} takes away what curl would send, and {@code NAME;} sends it empty. */
  private void addField(String line) throws BadDescriptionException {
    if (line.startsWith("@")) {
      throw new BadDescriptionException("curl -H", "a file, which is not read here");
    }
    int colon = line.indexOf(':');
    if (colon < 0 && line.endsWith(";")) {
      String name = line.substring(0, line.length() - 1);
      given.add(name.toLowerCase(Locale.ROOT));
      request.field(name + ":");
      return;
    }
    if (colon > 0) {
      given.add(line.substring(0, colon).strip().toLowerCase(Locale.ROOT));
    }
    if (colon <= 0 || !line.substring(colon + 1).isBlank()) {
      request.field(line);
    }
  }

  private void addData(String option, String shown, String value) throws BadDescriptionException {
    if (value.startsWith("@") && !option.equals("data-raw")) {
      throw new BadDescriptionException(shown, "a file, which is not read here");
    }
    if (option.equals("json") && !data.isEmpty()) {
      throw new BadDescriptionException(shown, "beside other data", "one");
    }
    data.add(value);
    own.putIfAbsent("content-type", "application/x-www-form-urlencoded");
  }

  private void addCookie(String shown, String value) throws BadDescriptionException {
    if (value.indexOf('=') < 0) {
      throw new BadDescriptionException(shown, "a file, which is not read here");
    }
    own.merge("cookie", value, (before, more) -> before + ";" + more);
  }

  private DescribedRequest.Builder finish() throws BadDescriptionException {
    if (url == null) {
      throw new BadDescriptionException("curl", "no URL");
    }
    if (url.matches(".*[{}].*|[^/]*//[^/]*/.*\\[.*")) {
      throw new BadDescriptionException("curl", "a URL for several requests", "one");
    }
    String content = String.join("&", data);
    boolean hasContent = !data.isEmpty() && !isGet;
    if (isGet && !data.isEmpty()) {
      own.remove("content-type");
      String bare = url.replaceFirst("#.*", "");
      url = bare + (bare.indexOf('?') < 0 ? "?" : "&") + content;
    }
    if (hasContent) {
      int bytes = content.getBytes(StandardCharsets.UTF_8).length;
      own.put("content-length", Integer.toString(bytes));
    }
    String usual = isHead ? "HEAD" : hasContent ? "POST" : "GET";
    request.method(method == null ? usual : method).url(url);
    for (Map.Entry<String, String> field : own.entrySet()) {
      if (!given.contains(field.getKey())) {
        request.field(field.getKey() + ": " + field.getValue());
      }
    }
    return request;
  }
}
