package dev.weir.bench.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessIT {
  @TempDir private Path folder;

  @Test
  void endsWithWhatItHasStarted() throws Exception {
    // The port is this test's: what is started here never listens.
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      final ServerProcess server =
          ServerProcess.start(
              "shell",
              // Ends when it is asked to, and leaves its child behind.
              List.of("sh", "-c", "sleep 60 & wait"),
              folder.resolve("log"),
              port.getLocalPort());
      final ProcessHandle shell = ProcessHandle.of(server.pid()).orElseThrow();
      while (shell.children().findAny().isEmpty()) {
        assertTrue(shell.isAlive());
        Thread.onSpinWait();
      }
      final ProcessHandle child = shell.children().findAny().orElseThrow();
      server.close();
      child.onExit().get(30, TimeUnit.SECONDS);
      shell.onExit().get(30, TimeUnit.SECONDS);
      assertFalse(server.isAlive());
    }
  }

  @Test
  void oneThatEndsBeforeItListensTellsWhatItPrinted() throws IOException {
    final int port = ServerProcess.freePort();
    final IOException failure =
        assertThrows(
            IOException.class,
            () ->
                ServerProcess.start(
                    "shell",
                    List.of("sh", "-c", "echo no such thing; exit 3"),
                    folder.resolve("log"),
                    port));
    assertTrue(
        failure.getMessage().equals("shell ended with 3: no such thing"), failure.getMessage());
  }
}
