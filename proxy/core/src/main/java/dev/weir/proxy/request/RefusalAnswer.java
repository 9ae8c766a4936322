package dev.weir.proxy.request;

import java.util.List;
import java.util.Locale;

/**
 * What a rule answers to requests that it refuses, in the place of Weir's own answer, in one media
 * type. Immutable.
 *
 * @param status of HTTP; {@link #OF_REASON} for that of the reason.
 * @param fields beside those that Weir writes; of calls, too.
 * @param type null, as {@code body} then is, for a problem (RFC 9457).
 * @param call what calls of gRPC are answered.
 */
public record RefusalAnswer(
    int status, List<Field> fields, MediaType type, AnswerText body, Call call) {
  /** Stands for the status of the reason. */
  public static final int OF_REASON = 0;

  /** The most bytes of a field's value or of a message for calls, as it is written in a rule. */
  public static final int MAX_TEXT_BYTES = 1024;

  /** The answer to a call of gRPC. */
  public record Call(GrpcStatus status, AnswerText message) {
    /** The answer of other refused calls. */
    public static final Call STANDARD = new Call(null, null);
  }

  /** A field; two of one name and value are equal. */
  public static final class Field {
    private final String name;
    private final AnswerText value;
    private final byte[] bytes;
    private final byte[] lowerCase;

    /**
     * @param name of ASCII characters.
     */
    public Field(String name, AnswerText value) {
      this.name = name;
      this.value = value;
      bytes = TextWriter.ascii(name);
      lowerCase = TextWriter.ascii(name.toLowerCase(Locale.ROOT));
    }

    /** Whether it has that name, which is in lower case. */
    public boolean isNamed(String wanted) {
      return name.toLowerCase(Locale.ROOT).equals(wanted);
    }

    /** The name as it was written; not to be changed. */
    public byte[] name() {
      return bytes;
    }

    /** The name in lower case, as HTTP/2 has it; not to be changed. */
    public byte[] lowerCaseName() {
      return lowerCase;
    }

    public AnswerText value() {
      return value;
    }

    @Override
    public String toString() {
      return name + ": " + value;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Field that && name.equals(that.name) && value.equals(that.value);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + value.hashCode();
    }
  }

  /** The status of HTTP for a refusal that this answers. */
  public int httpStatus(RefusalReason reason) {
    return status == OF_REASON ? reason.httpStatus() : status;
  }

  public RefusalAnswer {
    fields = List.copyOf(fields);
  }
}
