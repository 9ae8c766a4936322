package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service with a name, which a process looks up in a file of the test's. */
@Timeout(120)
class UpstreamNameIT {
  @TempDir private Path folder;

  /** Answers with its own address. */
  private static RecordingOrigin service(String address, int port) throws IOException {
    RecordingOrigin service = new RecordingOrigin(new InetSocketAddress(address, port));
    service.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + address);
    return service;
  }

  @Test
  void triesEveryAddressAndFindsTheServiceWhereItHasGone() throws Exception {
    Path hosts = folder.resolve("hosts");
    Files.writeString(hosts, "127.0.0.3 app.test\n127.0.0.2 app.test\n");
    RecordingOrigin first = service("127.0.0.2", 0);
    try (WeirProcess weir =
            WeirProcess.run(
                folder,
                List.of(),
                List.of("-Djdk.net.hosts.file=" + hosts),
                "--upstream=http://app.test:" + first.port());
        RawClient client = weir.connect()) {
      assertEquals("127.0.0.2", client.send(Rig.VALID).read().body());
      Files.writeString(hosts, "127.0.0.4 app.test\n");
      first.close();
      try (RecordingOrigin second = service("127.0.0.4", first.port())) {
        Await.until(
            "found again",
            weir::log,
            () -> {
              int status = client.send(Rig.VALID).read().status();
              assertTrue(status == 200 || status == 502, () -> "status " + status);
              return status == 200;
            });
        assertEquals("127.0.0.4", client.send(Rig.VALID).read().body());
        assertEquals(2, second.requestCount());
        assertTrue(weir.log().contains("app.test is at 127.0.0.4 now"));
      }
    }
  }
}
