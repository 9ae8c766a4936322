package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of an audit, their chain, and its verification. */
class AuditChainTest {
  private static final Instant NOON = Instant.parse("2026-11-24T12:00:00Z");
  private static final Author OPS = new Author("ops", "10.0.0.1", "r-1", "evening");
  private static final RecordName ANN = new RecordName(RecordName.Kind.USER, "ann");

  private static AuditEntry update(AuditHead head, RecordName name, String after) {
    return head.entry(NOON, OPS, "update", name, new RecordVersion(3, 7), null, after);
  }

  private static List<String> chain(int entries) {
    List<String> lines = new ArrayList<>();
    AuditHead head = AuditHead.START;
    for (int i = 1; i <= entries; i++) {
      AuditEntry entry = update(head, ANN, "{\"n\":" + i + "}");
      lines.add(entry.toJson());
      head = head.after(entry);
    }
    return lines;
  }

  private static List<String> faults(List<String> lines) {
    AuditVerification verification = new AuditVerification();
    for (int i = 0; i < lines.size(); i++) {
      verification.next("export:" + (i + 1), lines.get(i));
    }
    assertTrue(verification.entries() <= lines.size());
    return verification.faults();
  }

  @Test
  void hasOneTextWhoseHashIsThatOfItsBytes() throws Exception {
    AuditEntry entry = update(AuditHead.START, ANN, "{\"tier\":\"premium\"}");
    String line =
        "{\"number\":1,\"action\":\"update\",\"user\":\"ann\",\"version\":\"3-00000007\","
            + "\"at\":\"2026-11-24T12:00:00Z\",\"by\":\"ops\",\"from\":\"10.0.0.1\","
            + "\"request-id\":\"r-1\",\"reason\":\"evening\",\"before\":null,"
            + "\"after\":{\"tier\":\"premium\"},\"previous\":\""
            + "0".repeat(64)
            + "\"}";
    assertEquals(line, entry.toJson());
    assertEquals(entry, AuditEntry.parse(line));
    AuditHead head = AuditHead.START.after(entry);
    byte[] sha =
        MessageDigest.getInstance("SHA-256").digest(line.getBytes(StandardCharsets.US_ASCII));
    assertEquals("1 2026-11-24 " + HexFormat.of().formatHex(sha), head.toString());
    assertEquals(head, AuditHead.parse(head.toString()));
    assertEquals(head.hash(), update(head, ANN, null).previousHash());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\nb",
        "a\r\n{\"number\":9}",
        "\u2028",
        "J\u00fcrgen",
        "\ud83d\ude00",
        "\ud800",
        "\u0000",
        "\"\\",
        ""
      })
  void keepsAnyNameOnOneLineOfAscii(String name) {
    AuditEntry entry =
        AuditHead.START.entry(
            NOON,
            new Author(name, name, name, name),
            "update",
            new RecordName(RecordName.Kind.USER, name),
            null,
            RecordJson.compact("{\"a\": [1.50, 1E+3, -0, null, \"\\u00e9\\ud800/\"]}"),
            null);
    String line = entry.toJson();
    assertTrue(line.chars().allMatch(c -> c >= ' ' && c <= '~'), line);
    assertEquals(entry, AuditEntry.parse(line));
    assertEquals(line, AuditEntry.parse(line).toJson());
  }

  @Test
  void keepsADayAfterTheClockWentBack() {
    AuditHead head = new AuditHead(7, LocalDate.parse("2026-11-25"), "0".repeat(64));
    AuditEntry entry = update(head, ANN, null);
    assertEquals(NOON, entry.at());
    assertEquals(LocalDate.parse("2026-11-25"), head.after(entry).day());
  }

  @Test
  void readsWhatANewerVersionAdded() {
    String line = chain(1).get(0).replace("\"by\"", "\"new\":{\"a\":[1]},\"by\"");
    assertEquals("ops", AuditEntry.parse(line).author().name());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "17", "{}", "{\"number\":1}", "{\"number\":\"a\"}", "x"})
  void refusesWhatIsNoEntry(String line) {
    assertThrows(IllegalArgumentException.class, () -> AuditEntry.parse(line));
  }

  @Test
  void findsNoFaultInAWholeAuditFromEitherEndOrFromTheMiddle() {
    List<String> lines = chain(20);
    assertEquals(List.of(), faults(lines));
    assertEquals(List.of(), faults(lines.subList(5, 12)));
    Collections.reverse(lines);
    assertEquals(List.of(), faults(lines));
    assertEquals(List.of(), faults(List.of()));
    assertNull(new AuditVerification().head());
  }

  @Test
  void namesWhatWasRemoved() {
    List<String> lines = chain(9);
    lines.remove(4);
    assertEquals(List.of("export:5: entry 5 is missing before it"), faults(lines));
    lines.remove(4);
    assertEquals(List.of("export:5: entries 5 to 6 are missing before it"), faults(lines));
    Collections.reverse(lines);
    assertEquals(List.of("export:4: entries 5 to 6 are missing before it"), faults(lines));
  }

  @Test
  void namesWhatWasChanged() {
    List<String> lines = chain(9);
    lines.set(4, lines.get(4).replace("\"ops\"", "\"bob\""));
    String found = " was changed: it is not the one that entry 6 was chained to";
    assertEquals(List.of("export:5: entry 5" + found), faults(lines));
    Collections.reverse(lines);
    assertEquals(List.of("export:5: entry 5" + found), faults(lines));
  }

  @Test
  void namesWhatWasMovedOrRepeated() {
    List<String> lines = chain(9);
    Collections.swap(lines, 3, 4);
    assertEquals(
        List.of(
            "export:4: entry 4 is missing before it",
            "export:5: entry 4 stands after entry 5: it was moved or repeated"),
        faults(lines));
    lines = chain(3);
    lines.add(2, lines.get(1));
    assertEquals(
        List.of("export:3: entry 2 stands after entry 2: it was moved or repeated"), faults(lines));
  }

  @Test
  void findsACutEndAndANewChainByAHeadThatWasNoted() {
    List<String> lines = chain(9);
    String head = AuditHead.hash(lines.get(8));
    AuditVerification whole = new AuditVerification();
    whole.expect(9, head);
    lines.forEach(line -> whole.next("e", line));
    assertEquals(List.of(), whole.faults());
    assertEquals("9:" + head, whole.head());
    AuditVerification cut = new AuditVerification();
    cut.expect(9, head);
    lines.subList(0, 8).forEach(line -> cut.next("e", line));
    assertEquals(List.of("entry 9 is missing: it was expected"), cut.faults());
    AuditVerification other = new AuditVerification();
    other.expect(3, head);
    lines.forEach(line -> other.next("e", line));
    assertEquals(List.of("e: entry 3 is not the one that was expected"), other.faults());
  }

  @Test
  void asksForEntriesByTimeAuthorAndObject() {
    AuditEntry entry = update(AuditHead.START, ANN, null);
    assertTrue(new AuditQuery(null, null, null, null, null, 1).matches(entry));
    assertTrue(new AuditQuery(NOON, NOON.plusMillis(1), "ops", "ann", null, 1).matches(entry));
    for (AuditQuery query :
        List.of(
            new AuditQuery(NOON.plusMillis(1), null, null, null, null, 1),
            new AuditQuery(null, NOON, null, null, null, 1),
            new AuditQuery(null, null, "bob", null, null, 1),
            new AuditQuery(null, null, null, "bob", null, 1))) {
      assertEquals(false, query.matches(entry), query.toString());
    }
  }
}
