package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordJsonTest {
  @Test
  void keepsNamesTheirOrderAndTheTextOfNumbers() {
    String json = "{ \"b\" : 1.50 ,\r\n \"a\" : [ 1E+3, 123456789012345678901234567890, -0 ] }\n";
    String kept = "{\"b\":1.50,\"a\":[1E+3,123456789012345678901234567890,-0]}";
    assertEquals(kept, RecordJson.compact(json));
    assertEquals(kept, RecordJson.compact(kept));
    assertEquals("\"x\"", RecordJson.compact(" \"x\" "));
    assertEquals("null", RecordJson.compact("null"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | empty",
        "{} {} | more than one JSON value (line 1)",
        "{\"a\":1,\"a\":2} | Duplicate field 'a'",
        "{\"a\":1 | (line 1)",
        "{a:1} | (line 1)",
        "NaN | (line 1)",
        "{\"a\":01} | (line 1)",
      })
  void refusesWhatIsNotOneJsonValue(String json, String fault) {
    String message =
        assertThrows(
                IllegalArgumentException.class, () -> RecordJson.compact(json == null ? "" : json))
            .getMessage();
    assertTrue(message.contains(fault), message);
  }

  @Test
  void refusesWhatIsTooDeep() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    assertThrows(IllegalArgumentException.class, () -> RecordJson.compact(deep));
  }

  /** Or a record would be kept that fails all who read it. */
  @Test
  void refusesWhatItsReadersRefuse() {
    assertEquals("[".repeat(32) + "]".repeat(32), recordOf(32));
    assertThrows(IllegalArgumentException.class, () -> recordOf(33));
    RecordJson.record("1".repeat(40));
    for (String json : new String[] {"1".repeat(41), "1e99", "{\"a\":\"\\ud800\"}"}) {
      assertThrows(IllegalArgumentException.class, () -> RecordJson.record(json), json);
    }
  }

  private static String recordOf(int depth) {
    return RecordJson.record("[".repeat(depth) + "]".repeat(depth));
  }
}
