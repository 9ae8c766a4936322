package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fault of a set of rules that is kept in records, or a warning.
 *
 * @param record that has it; the part {@code ""} if no record alone has it.
 * @param pointer where in the record it is (RFC 6901), such as {@code /limits/0/limit}; empty for
 *     the record as a whole.
 * @param documentPointer where it is in the whole set, such as {@code /rules/3/limits/0/limit}.
 * @param line of the record's JSON, from 1.
 * @param found what stands there, or what is wrong with it.
 * @param expected empty if {@code found} says all.
 */
public record RecordedFault(
    RecordName record,
    String pointer,
    String documentPointer,
    int line,
    String found,
    String expected) {
  private static final RecordName NONE = new RecordName(Kind.PART, "");
  private static final String EXPECTED = " (expected: ";

  /** A key between dots, in quotes if it has such characters itself; or the place of an item. */
  private static final Pattern STEP =
      Pattern.compile("\\.?(?:\"(?<quoted>.*?)\"(?=[.\\[]|$)|(?<key>[^.\\[]+)|\\[(?<item>\\d+)])");

  /**
   * A fault of the document that was made of records.
   *
   * @param rules the rules in the order of the document.
   */
  static RecordedFault of(Faults.Fault fault, List<RecordName> rules) {
    String whole = pointer(fault.path());
    RecordName record = NONE;
    String pointer = "";
    String[] steps = whole.split("/", 4); // an empty one, and then those of the pointer
    if (steps.length > 2 && steps[1].equals(RecordedRules.RULES)) {
      record = rules.get(Integer.parseInt(steps[2]));
      pointer = steps.length > 3 ? "/" + steps[3] : "";
    } else if (steps.length > 1 && !steps[1].equals(RecordedRules.RULES)) {
      record = new RecordName(Kind.PART, unescaped(steps[1]));
      pointer = whole.substring(1 + steps[1].length());
    }
    return of(fault, record, pointer, whole);
  }

  /** A fault of a document that a client has sent. */
  static RecordedFault ofDocument(Faults.Fault fault) {
    String whole = pointer(fault.path());
    return of(fault, NONE, whole, whole);
  }

  private static RecordedFault of(
      Faults.Fault fault, RecordName record, String pointer, String whole) {
    String problem = fault.problem();
    int end = problem.endsWith(")") ? problem.indexOf(EXPECTED) : -1;
    String found = end < 0 ? problem : problem.substring(0, end);
    String expected =
        end < 0 ? "" : problem.substring(end + EXPECTED.length(), problem.length() - 1);
    return new RecordedFault(record, pointer, whole, fault.line(), found, expected);
  }

  private static String pointer(String path) {
    StringBuilder pointer = new StringBuilder();
    Matcher step = STEP.matcher(path);
    while (step.find()) {
      String text = step.group("quoted");
      text = text == null ? step.group("key") : text;
      text = text == null ? step.group("item") : text;
      pointer.append('/').append(text.replace("~", "~0").replace("/", "~1"));
    }
    return pointer.toString();
  }

  private static String unescaped(String step) {
    return step.replace("~1", "/").replace("~0", "~");
  }

  /** The fault in a line: {@code rule chat: /limit: 0/1m (expected: ...)}. */
  @Override
  public String toString() {
    String kind = record.kind() == Kind.RULE ? "rule " : "part ";
    String of = record.id().isEmpty() ? "" : kind + Faults.printable(record.id()) + ": ";
    String at = pointer.isEmpty() ? "" : Faults.printable(pointer) + ": ";
    return of + at + found + (expected.isEmpty() ? "" : EXPECTED + expected + ")");
  }
}
