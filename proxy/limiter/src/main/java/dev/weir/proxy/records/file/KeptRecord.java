package dev.weir.proxy.records.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.proxy.records.RecordJson;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import java.io.IOException;
import java.util.Locale;

/**
 * A record, and who wrote it.
 *
 * @param record whose JSON is null if it was deleted.
 * @param by the author's name.
 */
record KeptRecord(StoredRecord record, String by) {
  /** Returns its object in a snapshot. */
  String toJson() {
    return "{\""
        + record.name().kind().name().toLowerCase(Locale.ROOT)
        + "\":"
        + RecordJson.text(record.name().id())
        + ",\"version\":\""
        + record.version()
        + "\",\"by\":"
        + RecordJson.text(by)
        + ",\"json\":"
        + record.json()
        + "}";
  }

  /**
   * Reads an object of a snapshot, or what an entry of the audit says the record is afterwards.
   *
   * @return null if the entry changed no record.
   * @throws IllegalArgumentException if it is neither.
   */
  static KeptRecord parse(String line) {
    RecordName name = null;
    RecordVersion version = null;
    String by = "";
    String json = null;
    try (JsonParser parser = RecordJson.parser(line)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String member = parser.currentName();
        boolean none = parser.nextToken() == JsonToken.VALUE_NULL;
        switch (member) {
          case "user" -> name = new RecordName(RecordName.Kind.USER, parser.getText());
          case "rule" -> name = new RecordName(RecordName.Kind.RULE, parser.getText());
          case "part" -> name = new RecordName(RecordName.Kind.PART, parser.getText());
          case "version" -> version = none ? null : RecordVersion.parse(parser.getText());
          case "by" -> by = parser.getText();
          case "json" -> json = RecordJson.value(parser);
          case "after" -> json = none ? null : RecordJson.value(parser);
          default -> parser.skipChildren();
        }
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("not a record: " + e.getMessage(), e);
    }
    if (name == null) {
      throw new IllegalArgumentException("not a record (expected: a rule, a part or a user)");
    }
    return version == null ? null : new KeptRecord(new StoredRecord(name, version, json), by);
  }
}
