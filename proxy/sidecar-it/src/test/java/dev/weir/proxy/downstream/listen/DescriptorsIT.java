package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.JavaCommand;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process that has used up its descriptors, and the clients that it has. */
@Timeout(180)
@DisabledOnOs(OS.WINDOWS)
class DescriptorsIT {
  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersItsClientsWithoutADescriptorForTheService(String transport) throws Exception {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 300; exec \"$@\"", "sh"));
    command.addAll(JavaCommand.of(DescriptorsIT.class, "-ea"));
    command.add(transport);
    Path log = folder.resolve("log.txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    int status = process.waitFor();
    assertEquals(0, status, () -> read(log));
  }

  private static String read(Path log) {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /**
   * Needs a low limit of descriptors.
   *
   * @param args the transport.
   */
  public static void main(String[] args) throws Exception {
    // Loads what is needed to say so: later there is no descriptor for a class either.
    try (Rig away = new Rig(args[0], "--upstream", "http://127.0.0.1:1");
        RawClient client = away.connect()) {
      assertEquals(502, client.send(Rig.VALID).read().status());
    }
    Rig rig = new Rig(args[0], "--timeouts.upstream-idle", "100ms");
    List<InputStream> open = new ArrayList<>();
    try (rig;
        RawClient first = rig.connect();
        RawClient second = rig.connect()) {
      assertEquals(200, first.send(Rig.VALID).read().status());
      assertEquals(200, second.send(Rig.VALID).read().status());
      rig.await("weir_upstream_connections_open", 0);
      useUpDescriptors(open);
      for (int i = 0; i < 5; i++) {
        first.send(Rig.VALID);
        second.send(Rig.VALID);
        assertEquals(502, first.read().status());
        assertEquals(502, second.read().status());
      }
      close(open);
      assertEquals(200, first.send(Rig.VALID).read().status());
      assertEquals(200, second.send(Rig.VALID).read().status());
    }
  }

  private static void useUpDescriptors(List<InputStream> open) {
    try {
      while (true) {
        open.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException none) {
      return; // as wanted
    }
  }

  private static void close(List<InputStream> open) throws IOException {
    for (InputStream in : open) {
      in.close();
    }
    open.clear();
  }
}
