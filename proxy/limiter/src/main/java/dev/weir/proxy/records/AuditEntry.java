package dev.weir.proxy.records;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;

/**
 * A change, as the audit keeps it. {@link AuditHead} says how entries are chained.
 *
 * <p>Records before and after are whole, not merge patches: a patch cannot say {@code null}, and
 * means nothing without all entries before it. Whole, an entry is enough to undo its change.
 *
 * @param id names the entry: its number in the audit, from 1, without gaps.
 * @param at the clock of who wrote it.
 * @param action {@code create}, {@code update} or {@code delete} of a record, or another act of an
 *     operator: {@code ban}, {@code reset}, {@code reload}. Letters and hyphens.
 * @param object what was changed.
 * @param version the record's ETag after the change; null if no record was changed.
 * @param before the record before, as {@link RecordJson} has it; null if there was none.
 * @param after the record after, as {@link RecordJson} has it; null if there is none.
 * @param previousHash SHA-256 of the entry before, in hexadecimal; zeros for the first.
 */
public record AuditEntry(
    String id,
    Instant at,
    Author author,
    String action,
    RecordName object,
    RecordVersion version,
    String before,
    String after,
    String previousHash) {

  /**
   * Returns the entry as one line of JSON, in ASCII. Its members have a fixed order, so {@link
   * #parse} and this return the same bytes: those whose hash the next entry has. What somebody else
   * may choose freely stands behind the object's id.
   */
  public String toJson() {
    StringWriter line = new StringWriter(256);
    try (JsonGenerator out = RecordJson.FACTORY.createGenerator(line)) {
      out.writeStartObject();
      out.writeFieldName("number");
      out.writeNumber(id);
      out.writeStringField("action", action);
      out.writeStringField(object.kind().name().toLowerCase(Locale.ROOT), object.id());
      out.writeStringField("version", version == null ? null : version.toString());
      out.writeStringField("at", at.toString());
      out.writeStringField("by", author.name());
      out.writeStringField("from", author.from());
      out.writeStringField("request-id", author.requestId());
      out.writeStringField("reason", author.reason());
      out.writeFieldName("before");
      out.writeRawValue(before == null ? "null" : before);
      out.writeFieldName("after");
      out.writeRawValue(after == null ? "null" : after);
      out.writeStringField("previous", previousHash);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return line.toString();
  }

  /**
   * Reads what {@link #toJson} wrote. Members that it does not know are passed over.
   *
   * @throws IllegalArgumentException if the line is no entry.
   */
  public static AuditEntry parse(String line) {
    try (JsonParser parser = RecordJson.FACTORY.createParser(line)) {
      return read(parser);
    } catch (IOException | DateTimeException e) {
      throw new IllegalArgumentException("not an entry of an audit: " + e.getMessage(), e);
    }
  }

  private static AuditEntry read(JsonParser parser) throws IOException {
    String id = null;
    Instant at = null;
    String name = null;
    String from = "";
    String requestId = "";
    String reason = "";
    String action = null;
    RecordName object = null;
    RecordVersion version = null;
    String before = null;
    String after = null;
    String previous = null;
    parser.nextToken();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String member = parser.currentName();
      boolean none = parser.nextToken() == JsonToken.VALUE_NULL;
      switch (member) {
        case "number" -> id = Long.toString(parser.getLongValue());
        case "action" -> action = parser.getText();
        case "user" -> object = new RecordName(RecordName.Kind.USER, parser.getText());
        case "rule" -> object = new RecordName(RecordName.Kind.RULE, parser.getText());
        case "part" -> object = new RecordName(RecordName.Kind.PART, parser.getText());
        case "version" -> version = none ? null : RecordVersion.parse(parser.getText());
        case "at" -> at = Instant.parse(parser.getText());
        case "by" -> name = parser.getText();
        case "from" -> from = parser.getText();
        case "request-id" -> requestId = parser.getText();
        case "reason" -> reason = parser.getText();
        case "before" -> before = none ? null : RecordJson.value(parser);
        case "after" -> after = none ? null : RecordJson.value(parser);
        case "previous" -> previous = parser.getText();
        default -> parser.skipChildren();
      }
    }
    if (id == null || at == null || name == null || action == null || object == null) {
      throw new IllegalArgumentException(
          "not an entry of an audit (expected: number, at, by, action, and rule, part or user)");
    }
    return new AuditEntry(
        id,
        at,
        new Author(name, from, requestId, reason),
        action,
        object,
        version,
        before,
        after,
        previous);
  }
}
