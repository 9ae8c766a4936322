package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTreeTest {
  private static Object read(String text) throws JsonTree.Malformed {
    return JsonTree.read(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void hasEveryKindOfValueAsItWasWritten() throws JsonTree.Malformed {
    assertEquals(
        Map.of(
            "a",
            Arrays.asList("x\u00fc", new JsonTree.Number("1.50e2"), true, false, null, List.of()),
            "b",
            Map.of("", new JsonTree.Number("-0"))),
        read("{\"a\": [\"x\\u00fc\", 1.50e2, true, false, null, []], \"b\": {\"\": -0}}"));
    assertNull(read(""));
    assertNull(read(" null "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\": 1, \"a\": 2} | Duplicate field 'a'",
        "{} {} | more behind the document",
        "1 2 | more behind the document",
        "{\"a\": | Unexpected end-of-input",
        "[1,] | Unexpected character",
        "{\"a\": +1} | Unexpected character",
        "{\"a\": 01} | Invalid numeric value",
        "{'a': 1} | Unexpected character",
        "NaN | Non-standard token 'NaN'",
      })
  void saysWhyItIsNone(String text, String why) {
    JsonTree.Malformed malformed = assertThrows(JsonTree.Malformed.class, () -> read(text));
    assertTrue(malformed.getMessage().contains(why), malformed.getMessage());
  }

  @Test
  void endsWhereNestingDoesNot() {
    assertThrows(JsonTree.Malformed.class, () -> read("[".repeat(100_000)));
    assertThrows(JsonTree.Malformed.class, () -> read("{\"a\":".repeat(100_000)));
  }
}
