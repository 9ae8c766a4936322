package dev.weir.bench.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.ServerProcess.ListeningPorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListeningPortsTest {
  private static final String HEAD =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout";

  @Test
  void includeTheLocalPortsOfSocketsThatListen() {
    final List<String> lines =
        List.of(
            HEAD,
            "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0",
            "   1: 0100007F:1F41 0100007F:1F42 01 00000000:00000000 00:00000000 00000000     0");
    assertTrue(ListeningPorts.includes(lines, 8000));
    assertFalse(ListeningPorts.includes(lines, 8001), "it is connected");
    assertFalse(ListeningPorts.includes(lines, 8002), "it is the other side's");
  }

  @Test
  void areThoseOfThisMachine() throws Exception {
    final int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      port = socket.getLocalPort();
      assertTrue(ListeningPorts.include(port));
    }
    assertFalse(ListeningPorts.include(port));
  }
}
