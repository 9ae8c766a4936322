package dev.weir.proxy.request;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A text of a rule's own answer to refusals, taken apart at its placeholders: a literal, a
 * placeholder, a literal, and so on. Immutable; two of one source are equal.
 */
public final class AnswerText {
  /** The most placeholders of a text. */
  public static final int MAX_PLACEHOLDERS = 32;

  /** The most bytes of a placeholder's value: a rule's id. */
  public static final int MAX_VALUE_BYTES = 64;

  private static final Pattern OPENED = Pattern.compile("\\$\\{([^}]{0,40}}?)");

  /** A name that stands for a value of the refusal. None of the values is the client's. */
  public enum Placeholder {
    /** Seconds as in {@code Retry-After}; 0 if no wait helps. */
    RETRY_AFTER("retry-after"),
    /** The quota of the limit that refused; 0 if none did. */
    LIMIT("limit"),
    /** The id of the rule. */
    RULE("rule"),
    /** An id of this answer. */
    REQUEST_ID("request-id");

    private final String name;

    Placeholder(String name) {
      this.name = name;
    }

    /** Whether its value is a number; else it is letters, digits, dots, dashes, underscores. */
    public boolean isNumber() {
      return this == RETRY_AFTER || this == LIMIT;
    }

    /** The name as a text has it, such as <code>${rule}</code>. */
    @Override
    public String toString() {
      return "${" + name + "}";
    }

    /** All placeholders, for people. */
    public static String all() {
      return Arrays.stream(values()).map(Placeholder::toString).collect(Collectors.joining(", "));
    }
  }

  private final String source;
  private final byte[][] literals;
  private final Placeholder[] placeholders;
  private final int mostBytes;

  /**
   * @param source without {@linkplain #unknown unknown} placeholders.
   */
  public AnswerText(String source) {
    this.source = source;
    List<byte[]> texts = new ArrayList<>();
    List<Placeholder> between = new ArrayList<>();
    Matcher opened = OPENED.matcher(source);
    int from = 0;
    while (opened.find()) {
      texts.add(source.substring(from, opened.start()).getBytes(StandardCharsets.UTF_8));
      between.add(find(opened.group()));
      from = opened.end();
    }
    texts.add(source.substring(from).getBytes(StandardCharsets.UTF_8));
    literals = texts.toArray(byte[][]::new);
    placeholders = between.toArray(Placeholder[]::new);
    mostBytes = literalBytes() + placeholders.length * MAX_VALUE_BYTES;
  }

  /** The first placeholder of a text that stands for nothing; null if there is none. */
  public static String unknown(String source) {
    Matcher opened = OPENED.matcher(source);
    while (opened.find()) {
      if (find(opened.group()) == null) {
        return opened.group();
      }
    }
    return null;
  }

  private static Placeholder find(String text) {
    for (Placeholder placeholder : Placeholder.values()) {
      if (placeholder.toString().equals(text)) {
        return placeholder;
      }
    }
    return null;
  }

  /** The number of placeholders; there is one more literal. */
  public int placeholderCount() {
    return placeholders.length;
  }

  /** The placeholder behind the literal of that index. */
  public Placeholder placeholder(int index) {
    return placeholders[index];
  }

  /** The literal before the placeholder of that index, in UTF-8; not to be changed. */
  public byte[] literal(int index) {
    return literals[index];
  }

  /** The bytes of its literals. */
  public int literalBytes() {
    return Arrays.stream(literals).mapToInt(literal -> literal.length).sum();
  }

  /** The most bytes that it has with its values. */
  public int mostBytes() {
    return mostBytes;
  }

  /** The text as it was written. */
  @Override
  public String toString() {
    return source;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AnswerText that && source.equals(that.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }
}
