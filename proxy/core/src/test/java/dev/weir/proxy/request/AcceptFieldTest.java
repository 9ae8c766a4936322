package dev.weir.proxy.request;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptFieldTest {
  private static int weight(String type, String... values) {
    StringBuilder text = new StringBuilder();
    RequestView view = new RequestView(16);
    for (String value : values) {
      text.append("Accept").append(value);
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    view.reset(new UnsafeBuffer(bytes), 0, bytes.length, null);
    int at = 0;
    for (String value : values) {
      view.addField(at, 6, at + 6, value.length());
      at += 6 + value.length();
    }
    return AcceptField.weight(view, new MediaType(type));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "text/html | text/html | 1000",
        "text/html | TEXT/Html | 1000",
        "text/html | text/plain | 0",
        "text/html | text/* | 1000",
        "text/html | */* | 1000",
        "text/html | text/*;q=0.3, text/html;q=0.7, */*;q=0.5 | 700",
        "text/plain | text/*;q=0.3, text/html;q=0.7, */*;q=0.5 | 300",
        "image/png | text/*;q=0.3, text/html;q=0.7, */*;q=0.5 | 500",
        "text/html | text/html;q=0, */* | 0",
        "text/html | text/html;level=1;q=0.3, text/html;q=0.7 | 700",
        "application/json | application/json; charset=UTF-8; q=0.25 | 250",
        "application/json; v=2 | application/json | 1000",
        "application/json | application/problem+json | 0",
        "application/json | application/* ; Q=0.125 | 125",
        "text/html | text/html;q=1.001 | 0",
        "text/html | text/html;q=high, */*;q=0.1 | 100",
        "text/html | text/html, image/gif, *; q=.2, */*; q=.2 | 1000",
        "image/png | text/html, image/gif, *; q=.2, */*; q=.2 | 200",
        "text/html | a/b;c=\"x, text/html;q=0.5\" | 0",
        "text/html | a/b;c=\"\\\", text/html\", text/html;q=0.5 | 500",
        "text/html | ,, ;, text/html;;q=0.5,, | 500",
        "text/html | text/html;q=0.5;ext=1 | 500",
        "text/html | text/htm | 0",
        "text/html | text | 0",
        "text/html | \" | 0",
      })
  void readsTheMostSpecificRange(String type, String accept, int weight) {
    assertEquals(weight, weight(type, accept));
  }

  @Test
  void readsAllFieldsAsOneList() {
    assertEquals(700, weight("text/html", "*/*", "text/html;q=0.7"));
  }

  @Test
  void takesAnythingIfNothingIsSaid() {
    assertEquals(AcceptField.MOST, weight("text/html"));
    assertEquals(AcceptField.MOST, weight("text/html", ""));
  }

  @Test
  void doesNotReadWhatIsTooLong() {
    String most = "text/plain" + " ".repeat(AcceptField.MAX_BYTES - 10);
    assertEquals(0, weight("text/html", most));
    assertEquals(AcceptField.MOST, weight("text/html", most + " "));
    assertEquals(AcceptField.MOST, weight("text/html", most, " "));
  }
}
