package dev.weir.proxy.control;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.weir.proxy.request.AnswerText;
import dev.weir.proxy.request.AnswerText.Placeholder;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.MediaType;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RefusalAnswer.Call;
import dev.weir.proxy.request.RefusalAnswer.Field;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RefusalSpec;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads what a rule answers to the requests that it refuses. */
final class RefusalReader {
  static final String STATUS = "status";
  static final String HEADERS = "headers";
  static final String BODIES = "bodies";
  static final String GRPC_STATUS = "grpc-status";
  static final String GRPC_MESSAGE = "grpc-message";

  private static final String FILE = "file:";

  /** The most files of a document: each is read twice a second. */
  static final int MAX_FILES = 100;

  /** The paths of all bodies of a document. */
  private static final Pattern BODY = Pattern.compile("(rules\\[[0-9]+]\\.)?refusal\\.bodies\\..*");

  private static final int TOO_MANY_REQUESTS = 429;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  /** Statuses of which clients or proxies make something else than a refusal. */
  private static final Set<Integer> OTHERS = Set.of(407, 408, 426);

  private static final String EXPECTED_STATUS =
      "400 to 599 but 407, 408 and 426; or 301, 302, 303, 307 or 308, with a header location";

  /** Fields without which a status must not be (RFC 9110, section 15). */
  private static final Map<Integer, String> NEEDED = Map.of(401, "www-authenticate", 405, "allow");

  private static final String FIELD_NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}";
  private static final String FIELD_VALUE = "[!-~]([ -~]*[!-~])?";

  /** Fields of the connection, of the form of the content, and those that Weir writes itself. */
  private static final Set<String> NOT_OF_RULES =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings",
          "content-length",
          "content-encoding",
          "content-range",
          "content-type",
          "date",
          "retry-after",
          "ratelimit",
          "ratelimit-policy",
          "x-envoy-ratelimited");

  private final YamlTree tree;
  private final Faults faults;
  private final Set<Path> files = new HashSet<>();

  // What is being read.
  private int status;
  private List<Field> fields;
  private Map<MediaType, AnswerText> bodies;
  private GrpcStatus grpcStatus;
  private AnswerText grpcMessage;

  RefusalReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /** The files that bodies of a document are in, whatever else is wrong with it. */
  static List<Path> files(YamlTree tree) {
    List<Path> files = new ArrayList<>();
    tree.texts()
        .forEach(
            (path, text) -> {
              if (isFile(path, text)) {
                tree.read(path, file -> files.add(path(file)));
              }
            });
    return files.stream().distinct().limit(MAX_FILES).toList();
  }

  /** Whether a text names a file that has the body of an answer. */
  static boolean isFile(String path, String text) {
    return text.startsWith(FILE) && BODY.matcher(path).matches();
  }

  /** The contents of the files that bodies of a document are in, by the paths of the bodies. */
  Map<String, String> contents() {
    Map<String, String> contents = new LinkedHashMap<>();
    tree.texts().keySet().stream()
        .filter(path -> isFile(path, tree.texts().get(path)))
        .forEach(path -> tree.read(path, text -> contents.put(path, file(path, text))));
    return contents;
  }

  /** The refusal at a path; null if there is none. */
  RefusalSpec read(String path) {
    if (!tree.at(path).isSection()) {
      return null;
    }
    status = RefusalAnswer.OF_REASON;
    fields = new ArrayList<>();
    bodies = new LinkedHashMap<>();
    grpcStatus = null;
    grpcMessage = null;
    tree.read(path + "." + STATUS, text -> status = status(text));
    readEach(path + "." + HEADERS, (at, name, text) -> fields.add(field(name, text)));
    readEach(path + "." + BODIES, this::body);
    tree.read(path + "." + GRPC_STATUS, text -> grpcStatus = grpcStatus(text));
    tree.read(path + "." + GRPC_MESSAGE, text -> grpcMessage = message(text));
    if (!faults.isFaultyWithin(path)) {
      checkTogether(path);
    }
    return build();
  }

  private interface Entry {
    void read(String at, String key, String text);
  }

  private void readEach(String path, Entry entry) {
    for (String key : tree.at(path).keys().keySet()) {
      String at = YamlTree.inner(path, key);
      tree.read(at, text -> entry.read(at, key, text));
    }
  }

  private static int status(String text) {
    int status = text.matches("[0-9]{3}") ? Integer.parseInt(text) : 0;
    boolean isRefusal = status >= 400 && status < 600 && !OTHERS.contains(status);
    if (!isRefusal && !REDIRECTS.contains(status)) {
      throw new BadValueException(text, EXPECTED_STATUS);
    }
    return status;
  }

  private Field field(String name, String text) {
    String lowerCase = name.toLowerCase(Locale.ROOT);
    if (!name.matches(FIELD_NAME)) {
      throw new BadValueException(
          name, "the name of a header: 1 to 64 letters, digits, dashes, dots and underscores");
    }
    if (lowerCase.equals("content-type")) {
      throw new BadValueException(name, "nothing, as bodies name their types");
    }
    if (NOT_OF_RULES.contains(lowerCase)
        || lowerCase.startsWith("x-ratelimit-")
        || lowerCase.startsWith("grpc-")
        || lowerCase.endsWith("-bin")) {
      throw new BadValueException(name, "another header, as Weir writes this one or none may");
    }
    if (fields.stream().anyMatch(other -> other.isNamed(lowerCase))) {
      throw new BadValueException(name, "each header once");
    }
    if (!text.matches(FIELD_VALUE) || text.length() > RefusalAnswer.MAX_TEXT_BYTES) {
      throw new BadValueException(
          text, "1 to 1024 printable characters of ASCII, no space at either end");
    }
    return new Field(name, text(text));
  }

  private void body(String at, String type, String text) {
    MediaType parsed = type(type);
    if (bodies.keySet().stream().anyMatch(other -> other.name().equals(parsed.name()))) {
      throw new BadValueException(type, "each media type once");
    }
    String content = text.startsWith(FILE) ? file(at, text) : text;
    int bytes = content == null ? 0 : content.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RefusalSpec.MAX_BODY_BYTES) {
      throw new BadValueException(bytes + " bytes", "at most 8KiB");
    }
    if (content != null) {
      bodies.put(parsed, text(content));
      if (parsed.name().equals("application/json") || parsed.name().endsWith("+json")) {
        checkJson(content);
      }
    }
  }

  /** Checks that a text is JSON with the values of its placeholders. */
  private static void checkJson(String content) {
    String text = content;
    for (Placeholder placeholder : Placeholder.values()) {
      text = text.replace(placeholder.toString(), placeholder.isNumber() ? "1" : "a");
    }
    boolean isJson;
    try (JsonParser parser = new JsonFactory().createParser(text)) {
      isJson = parser.nextToken() != null;
      parser.skipChildren();
      isJson &= parser.nextToken() == null;
    } catch (IOException malformed) {
      isJson = false;
    }
    if (!isJson) {
      throw new BadValueException(
          content, "JSON, in which ${rule} and ${request-id} stand in quotes");
    }
  }

  private static MediaType type(String text) {
    MediaType type;
    try {
      type = new MediaType(text);
    } catch (IllegalArgumentException malformed) {
      throw new BadValueException(text, "a media type, such as application/json or text/html");
    }
    List<String> charsets = type.charsets();
    if (!charsets.stream().allMatch("utf-8"::equalsIgnoreCase)) {
      throw new BadValueException(text, "charset=utf-8, as all bodies are, or no charset");
    }
    boolean needsCharset = type.name().startsWith("text/") && charsets.isEmpty();
    return needsCharset ? new MediaType(text + "; charset=utf-8") : type;
  }

  /** The text of a file; null, and a fault, if it cannot be read. */
  private String file(String at, String text) {
    Path path = path(text);
    files.add(path);
    if (files.size() > MAX_FILES) {
      throw new BadValueException(text, "at most " + MAX_FILES + " files");
    }
    try {
      byte[] content = SmallFile.read(path, "a file");
      String read = new String(content, StandardCharsets.UTF_8);
      if (!Arrays.equals(read.getBytes(StandardCharsets.UTF_8), content)) {
        throw new BadValueException(text, "text in UTF-8");
      }
      return read;
    } catch (IOException unreadable) {
      faults.add(tree.line(at), at, Faults.printable(text) + ": " + unreadable.getMessage());
      return null;
    }
  }

  private static Path path(String text) {
    return Texts.parseFile(text.substring(FILE.length()));
  }

  private static GrpcStatus grpcStatus(String text) {
    for (GrpcStatus status : GrpcStatus.values()) {
      if (status != GrpcStatus.OK && status.name().equals(text)) {
        return status;
      }
    }
    throw new BadValueException(text, "a status of gRPC but OK, such as UNAVAILABLE");
  }

  private static AnswerText message(String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > RefusalAnswer.MAX_TEXT_BYTES) {
      throw new BadValueException(text, "1 to 1024 bytes of text");
    }
    return text(text);
  }

  private static AnswerText text(String text) {
    String unknown = AnswerText.unknown(text);
    if (unknown != null) {
      throw new BadValueException(unknown, "one of " + Placeholder.all());
    }
    AnswerText parsed = new AnswerText(text);
    if (parsed.placeholderCount() > AnswerText.MAX_PLACEHOLDERS) {
      throw new BadValueException(
          parsed.placeholderCount() + " placeholders", "at most " + AnswerText.MAX_PLACEHOLDERS);
    }
    return parsed;
  }

  private void checkTogether(String path) {
    String needed = REDIRECTS.contains(status) ? "location" : NEEDED.get(status);
    if (needed != null && !hasField(needed)) {
      fault(path + "." + STATUS, status + "", "a header " + needed + " beside it");
    }
    if (hasField("location") && !REDIRECTS.contains(status)) {
      fault(path + "." + HEADERS, "location", "status 301, 302, 303, 307 or 308 beside it");
    }
  }

  private void fault(String path, String found, String expected) {
    faults.add(tree.line(path), path, found, expected);
  }

  private boolean hasField(String name) {
    return fields.stream().anyMatch(field -> field.isNamed(name));
  }

  private RefusalSpec build() {
    // Of these, caches keep some that do not say otherwise, and would give them to other clients.
    boolean mayBeCached = status != RefusalAnswer.OF_REASON && status != TOO_MANY_REQUESTS;
    if (mayBeCached && !hasField("cache-control")) {
      fields.add(new Field("Cache-Control", new AnswerText("no-store")));
    } else if (!bodies.isEmpty()) { // a cache that keeps it must not give it to all (RFC 9110)
      fields.add(new Field("Vary", new AnswerText("Accept")));
    }
    Call call =
        grpcStatus == null && grpcMessage == null
            ? Call.STANDARD
            : new Call(grpcStatus, grpcMessage);
    List<RefusalAnswer> answers = new ArrayList<>();
    bodies.forEach(
        (type, text) -> answers.add(new RefusalAnswer(status, fields, type, text, call)));
    answers.add(new RefusalAnswer(status, fields, null, null, call));
    return new RefusalSpec(answers);
  }
}
