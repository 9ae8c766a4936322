package dev.weir.proxy.request;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;

/** A media type (RFC 9110, section 8.3.1) prepared for comparison with the ranges of Accept. */
public final class MediaType {
  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";
  private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
  private static final String PARAMETER =
      " *; *(" + TOKEN + ")=(" + TOKEN + "|\"[ -~&&[^\"\\\\]]*\")";
  private static final Pattern PARAMETERS = Pattern.compile(PARAMETER);
  private static final Pattern GRAMMAR =
      Pattern.compile(NAME + "/" + NAME + "(" + PARAMETER + ")*");

  private final String text;
  private final String name;
  private final byte[] lowerCase;
  private final byte[] family;
  private final byte[] bytes;

  /**
   * @param text with its parameters, such as {@code text/html; charset=utf-8}.
   * @throws IllegalArgumentException if {@code text} is no media type.
   */
  public MediaType(String text) {
    if (!GRAMMAR.matcher(text).matches()) {
      throw new IllegalArgumentException(text);
    }
    this.text = text;
    name = text.split(";")[0].strip().toLowerCase(Locale.ROOT);
    lowerCase = TextWriter.ascii(name);
    family = TextWriter.ascii(name.substring(0, name.indexOf('/') + 1) + "*");
    bytes = TextWriter.ascii(text);
  }

  /** Type and subtype in lower case. */
  public String name() {
    return name;
  }

  /** The values of {@code charset}, without quotes; none if it is not given. */
  public List<String> charsets() {
    return PARAMETERS
        .matcher(text)
        .results()
        .filter(parameter -> parameter.group(1).equalsIgnoreCase("charset"))
        .map(parameter -> parameter.group(2).replace("\"", ""))
        .toList();
  }

  /** The value of {@code Content-Type}; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether these bytes are type and subtype. */
  boolean is(DirectBuffer from, int offset, int length) {
    return Ascii.equalsIgnoreCase(from, offset, length, lowerCase);
  }

  /** Whether these bytes are a range of all subtypes of this type, such as {@code text/*}. */
  boolean isOfFamily(DirectBuffer from, int offset, int length) {
    return Ascii.equalsIgnoreCase(from, offset, length, family);
  }

  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MediaType that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
