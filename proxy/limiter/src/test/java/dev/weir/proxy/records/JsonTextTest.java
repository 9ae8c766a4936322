package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
  private static RecordFault fault(String json) {
    BadRecordException bad =
        assertThrows(BadRecordException.class, () -> JsonText.read(json, 100_000));
    assertEquals(1, bad.faults().size());
    return bad.faults().get(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"b\":[1,2.50,true,false,null,\"x\"],\"a\":{}}",
        "\"\\u0001 \\\" é\"",
        "[]",
        "0",
      })
  void writesAsItRead(String json) throws BadRecordException {
    assertEquals(json, JsonText.write(JsonText.read(json, 100)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":{\"b\":1,\"b\":2}} | /a/b",
        "{\"a\":[1,{\"b\":tru}]} | /a/1/b",
        "{\"a\":1 | /a",
        "1 2 | ''",
        "{\"a\":1e999999999} | /a",
        "{\"a\":1e-50} | /a",
        "{\"a\":\"\\ud800\"} | /a",
        "{\"\\ud800\":1} | ''",
        "{\"a\":01} | /a",
        "{'a':1} | ''",
        "NaN | ''",
      })
  void namesThePlaceOfWhatIsNotJson(String json, String pointer) {
    assertEquals(pointer, fault(json).pointer());
  }

  @Test
  void namesTheLine() {
    RecordFault fault = fault("{\n\"a\":1,\n\"a\":2}");
    assertEquals(3, fault.line());
    assertEquals("/a: Duplicate field 'a' (expected: JSON)", fault.toString());
  }

  @Test
  void bounds() throws BadRecordException {
    assertEquals(
        "4 characters (expected: at most 3)",
        assertThrows(BadRecordException.class, () -> JsonText.read("1234", 3)).getMessage());
    JsonText.read("[".repeat(32) + "]".repeat(32), 100);
    fault("[".repeat(33) + "]".repeat(33));
    fault("[".repeat(50_000));
    fault("1".repeat(50_000));
    fault("");
  }

  @Test
  void showsAValueOnOneLineWithoutWhatSteersATerminal() {
    assertEquals("\\u001B[2J\\u000Ax\\u202E", JsonText.shown("\u001b[2J\nx\u202e"));
    assertEquals("\"\"", JsonText.shown(""));
    assertEquals("null", JsonText.shown(null));
    assertTrue(JsonText.shown("x".repeat(101)).endsWith("x... (101 characters)"));
  }
}
