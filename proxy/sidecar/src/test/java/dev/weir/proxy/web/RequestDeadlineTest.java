package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A request has so long from its first byte to its last, however its bytes come. */
class RequestDeadlineTest {
  private static final int SECONDS = 30;

  private final RequestDeadline deadline = new RequestDeadline(SECONDS);
  private final EmbeddedChannel channel = new EmbeddedChannel(deadline);

  @BeforeEach
  void freeze() {
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(String bytes) {
    channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.US_ASCII));
  }

  private void pass(int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void closesAConnectionWhoseBodyTricklesIn() {
    send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n");
    for (int i = 1; i < SECONDS; i++) {
      pass(1);
      send("x");
    }
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
  }

  @Test
  void givesEachRequestItsOwnTimeAndNoneToAnIdleConnection() {
    send("GET / HTTP/1.1\r\n");
    pass(SECONDS - 1);
    deadline.requestEnded();
    pass(2 * SECONDS);
    assertTrue(channel.isOpen(), "while no request has begun");
    send("G");
    pass(SECONDS - 1);
    assertTrue(channel.isOpen());
    pass(1);
    assertFalse(channel.isOpen());
  }
}
