package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreCallsTest {
  private static final InetSocketAddress SERVER =
      InetSocketAddress.createUnresolved("calls.example", 6379);

  private final StoreCalls calls = new StoreCalls(null, TimeUnit.SECONDS.toNanos(1));

  /** Its fault becomes a line of the log. */
  @Test
  void tellsOfAServersErrorNoMoreThanItsBeginning() {
    String error = "ERR " + "x".repeat(896);
    CompletableFuture<Void> failed = CompletableFuture.failedFuture(new IOException(error));
    IOException fault = assertThrows(IOException.class, () -> calls.await(SERVER, failed));
    assertEquals(
        "redis calls.example:6379: " + error.substring(0, 200) + "... (200 of 900 characters)",
        fault.getMessage());
  }

  /** The thread that keeps the map may outlast a close that has waited for it. */
  @Test
  void opensNothingOnceItIsClosed() {
    calls.close();
    IOException fault =
        assertThrows(IOException.class, () -> calls.await(SERVER, calls.node(SERVER)));
    assertEquals("redis calls.example:6379: stopped", fault.getMessage());
  }
}
