package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonNumberTest {
  private static final long NONE = RequestEnd.NOT_REPORTED;

  private final JsonNumber number = new JsonNumber();

  private long read(String path, String... pieces) {
    number.start(ReportedCost.ofBodyNumber(path).path());
    for (String piece : pieces) {
      byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
      number.read(new UnsafeBuffer(bytes), 0, bytes.length);
    }
    return number.last();
  }

  /** Whatever the pieces are, the same number is found. */
  private void assertRead(long expected, String path, String text) {
    assertEquals(expected, read(path, text), text);
    assertEquals(expected, read(path, text.split("(?<=.)")), "byte by byte: " + text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'usage':{'total_tokens':12}}",
        " { 'usage' : { 'total_tokens' : 12 } } ",
        "{'a':1,'usage':{'b':[1,{'c':2}],'total_tokens':12,'d':4},'e':5}",
        "{'usage':{'details':{'total_tokens':7},'total_tokens':12}}",
        "{'usage':{'total_tokens':12},'other':{'usage':{'total_tokens':7}}}",
        "{'usage':{'total_tokens':12},'choices':[{'usage':{'total_tokens':7}}]}",
        "{'usage':{'total_tokens':7}}{'usage':{'total_tokens':12}}",
        "{'usage':{'total_tokens':7}}\n{'usage':null}\n{'usage':{'total_tokens':12}}\n",
        "[{'usage':{'total_tokens':7}},\n{'usage':{'total_tokens':12}}]",
        "{'usage':{'total_tokens':12},'text':'{\\'usage\\':{\\'total_tokens\\':7}}'}",
        "{'usage':{'total_tokens':12},'text':'\\\\'}{'usage':{'total_tokens':'7'}}",
        "{'usage':{'total_tokens':12}}{'usage':{'total_tokens':null}}",
        "{'usage':{'total_tokens':12}}{'usage':{'total_tokens':[7]}}",
        "{'usage':{'total_tokens':12}}{'usage':{'total_token':7}}",
        "{'usage':{'total_tokens':12}}{'usage':{'total_tokens2':7}}",
        "{'usage':{'total_tokens':12}}{'usage':[{'total_tokens':7}]}",
        "{'usage':{'total_tokens':12}}{'usage':'a','total_tokens':7}",
        "{'usage':{'total_tokens':12},'a':'total_tokens','b':7}",
        "{'usage':{'total_tokens':12},'a':['usage',{'total_tokens':7}]}",
        "{'usage':{'total_tokens':12}}{'usage':{'total_tokens':7",
      })
  void findsTheMemberByItsPath(String text) {
    assertRead(12, "usage.total_tokens", text.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "007, 7",
    "9007199254740992, 9007199254740992",
    "9007199254740993, -1",
    "99999999999999999999999999999999999999, -1",
    "-1, -1",
    "-0, -1",
    "1.0, -1",
    "1e3, -1",
    "1E-3, -1",
    "1e30, -1",
    "--1, -1",
    "true, -1",
    "n12, -1",
  })
  void takesWholeNumbersTo2To53(String value, long expected) {
    assertRead(expected, "a", "{\"a\":" + value + "}");
  }

  @Test
  void takesTheLastNumberEvenIfItIsMalformed() {
    assertRead(7, "a", "{\"a\":-1,\"a\":7}");
    assertRead(NONE, "a", "{\"a\":7,\"a\":-1}");
  }

  @Test
  void takesNoNumberThatHasNotEnded() {
    assertRead(NONE, "a", "{\"a\":12");
    assertRead(12, "a", "{\"a\":12 ");
  }

  @Test
  void isNotMisledByBracesOrByTextThatIsNoJson() {
    assertRead(NONE, "a", "{".repeat(4096) + "\"a\":1");
    assertRead(NONE, "a", "}".repeat(4096) + "\"a\":1");
    assertRead(1, "a", "}]".repeat(4096) + "{\"a\":1}");
    assertRead(NONE, "a", "<p class=\"a\">1</p>");
    assertRead(NONE, "a", "\"a\":1,");
    assertRead(NONE, "a.b", "{\"a\"{\"b\":");
  }

  @Test
  void findsWhatAParserFindsInRandomText() {
    int found = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      StringBuilder text = new StringBuilder();
      long expected = NONE;
      int texts = 1 + random.nextInt(3);
      for (int i = 0; i < texts; i++) {
        Object value = value(random, 0);
        render(value, random, text);
        text.append(random.nextBoolean() ? "\n" : " ");
        if (value instanceof Map<?, ?> top
            && top.get("a") instanceof Map<?, ?> inner
            && inner.get("b") instanceof Long last) {
          expected = last;
        }
      }
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      UnsafeBuffer buffer = new UnsafeBuffer(bytes);
      number.start(ReportedCost.ofBodyNumber("a.b").path());
      int at = 0;
      while (at < bytes.length) {
        int to = Math.min(bytes.length, at + 1 + random.nextInt(12));
        number.read(buffer, at, to);
        at = to;
      }
      assertEquals(expected, number.last(), "seed " + seed + ": " + text);
      found += expected == NONE ? 0 : 1;
    }
    assertTrue(found > 500, found + " had the member");
  }

  /** An object more often than not at the top, with names that differ little. */
  private static Object value(Random random, int depth) {
    int kind = random.nextInt(depth < 2 ? 4 : 8);
    if (depth < 5 && kind < 3) {
      Map<String, Object> members = new LinkedHashMap<>();
      int count = random.nextInt(5);
      for (int i = 0; i < count; i++) {
        members.put(
            List.of("a", "b", "ab", "", "\u00e4").get(random.nextInt(5)), value(random, depth + 1));
      }
      return members;
    }
    if (depth < 5 && depth > 0 && kind == 3) {
      List<Object> elements = new ArrayList<>();
      int count = random.nextInt(4);
      for (int i = 0; i < count; i++) {
        elements.add(value(random, depth + 1));
      }
      return elements;
    }
    return switch (random.nextInt(4)) {
      case 0 -> List.of("a", "{\"a\":{\"b\":1}}", "\\", "\"a\":", "},]").get(random.nextInt(5));
      case 1 -> random.nextBoolean();
      default -> (long) random.nextInt(1_000_000);
    };
  }

  private static void render(Object value, Random random, StringBuilder out) {
    space(random, out);
    if (value instanceof Map<?, ?> members) {
      String separator = "";
      out.append('{');
      for (Map.Entry<?, ?> member : members.entrySet()) {
        out.append(separator);
        render(member.getKey(), random, out);
        out.append(':');
        render(member.getValue(), random, out);
        separator = ",";
      }
      out.append('}');
    } else if (value instanceof List<?> elements) {
      String separator = "";
      out.append('[');
      for (Object element : elements) {
        out.append(separator);
        render(element, random, out);
        separator = ",";
      }
      out.append(']');
    } else if (value instanceof String text) {
      out.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    } else {
      out.append(value);
    }
    space(random, out);
  }

  private static void space(Random random, StringBuilder out) {
    out.append(List.of("", "", "", " ", "\n", "\r\n\t").get(random.nextInt(6)));
  }
}
