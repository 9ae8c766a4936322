package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.RequestView;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrailerSectionTest {
  private final TrailerSection section = new TrailerSection(3);

  @Test
  void readsEachLineAsAField() {
    assertEquals(
        List.of("a=1", "X-Sum=b c", "Empty="), read("a: 1\r\nX-Sum:\t b c \r\nEmpty:\r\n"));
    assertEquals(List.of("d=2"), read("d:2\r\n")); // nothing of the last section is left
    assertEquals(List.of(), read(""));
  }

  @Test
  void leavesOutWhatThereIsNoRoomFor() {
    assertEquals(List.of("a=1", "b=2", "c=3"), read("a:1\r\nb:2\r\nc:3\r\nd:4\r\n"));
  }

  private List<String> read(String lines) {
    byte[] bytes = lines.getBytes(StandardCharsets.ISO_8859_1);
    RequestView fields = section.read(Unpooled.wrappedBuffer(bytes));
    List<String> read = new ArrayList<>();
    for (int i = 0; i < fields.fieldCount(); i++) {
      read.add(
          fields.text(fields.nameOffset(i), fields.nameLength(i))
              + '='
              + fields.text(fields.valueOffset(i), fields.valueLength(i)));
    }
    return read;
  }
}
