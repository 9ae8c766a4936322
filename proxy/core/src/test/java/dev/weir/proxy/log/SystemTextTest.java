package dev.weir.proxy.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;

class SystemTextTest {
  private static String text(String message) {
    return SystemText.of(new IOException(message));
  }

  @Test
  void saysTheSameOnEachTransport() {
    String words = "Connection refused: /127.0.0.1:80";
    assertEquals(words, text(words));
    assertEquals(words, text("io_uring connect(..) failed with error(-111): " + words));
    assertEquals(words, text("finishConnect(..) failed with error(-111): " + words));
  }

  @Test
  void saysWhyWhereTheNativeTransportsSayNull() {
    assertEquals(
        "Network is unreachable: /203.0.113.1:80",
        SystemText.of(new NoRouteToHostException("null: /203.0.113.1:80")));
    assertEquals("No such file or directory", SystemText.of(new FileNotFoundException()));
  }

  @Test
  void leavesWhatIsNoFailedCallAsItIs() {
    assertEquals("x() failed with error(", text("x() failed with error("));
    assertEquals("", text(""));
    assertEquals("IOException", text(null));
  }
}
