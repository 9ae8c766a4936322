package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.exchange.EventStream.Part;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventStreamTest {
  private final EventStream events = new EventStream();

  /** The data, with a bar where an event ends. */
  private String data(String text, int bytesPerPiece) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    StringBuilder found = new StringBuilder();
    events.start();
    for (int piece = 0; piece < bytes.length; piece += bytesPerPiece) {
      int to = Math.min(bytes.length, piece + bytesPerPiece);
      for (int at = piece; at < to; ) {
        int end = events.next(buffer, at, to);
        if (events.part() == Part.DATA) {
          found.append(new String(bytes, at, end - at, StandardCharsets.UTF_8));
        } else if (events.part() == Part.EVENT_END) {
          found.append('|');
        }
        at = end;
      }
    }
    return found.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 1000})
  void findsDataWhateverEndsItsLinesAndInWhateverPieces(int bytesPerPiece) {
    for (String end : new String[] {"\n", "\r\n", "\r"}) {
      String text =
          """
          : a "comment
          event: one
          data: {"a":
          data:data: 1}

          id: 7
          datum: no
          data
          data : no
           data: no

          data:[DONE]

          data: cut\
          """;
      assertEquals(
          " {\"a\":data: 1}||[DONE]| cut", data(text.replace("\n", end), bytesPerPiece), end);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 1000})
  void passesOverOneByteOrderMarkBeforeTheFirstLine(int bytesPerPiece) {
    assertEquals("1|2|", data("\uFEFFdata:1\n\ndata:2\n\n", bytesPerPiece));
    assertEquals("|1|", data("\uFEFF\n\uFEFFdata:0\ndata:1\n\n", bytesPerPiece));
    assertEquals("2|", data("\uFEFF\uFEFFdata:1\ndata:2\n\n", bytesPerPiece));
    assertEquals("2|", data("\uFEFEdata:1\ndata:2\n\n", bytesPerPiece)); // the first two bytes
  }
}
