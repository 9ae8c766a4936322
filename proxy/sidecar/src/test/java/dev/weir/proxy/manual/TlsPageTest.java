package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/tls.md shows first, done in its order, with the tools that it names. */
@Timeout(60)
class TlsPageTest {
  @TempDir private Path folder;

  private static boolean isThere(String tool) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
  }

  private List<String> command(String start) {
    return ManualPage.of("docs/tls.md").blocks().stream()
        .filter(block -> block.language().equals("sh"))
        .flatMap(block -> block.commands().stream())
        .filter(command -> command.startsWith(start))
        .map(ManualPage::words)
        .findFirst()
        .orElseThrow();
  }

  private String run(List<String> words, int port) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    words.forEach(word -> command.add(word.replace("8443", String.valueOf(port))));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output.toFile())
            .start();
    int exitCode = process.waitFor();
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertEquals(0, exitCode, text);
    return text;
  }

  @Test
  void showsCommandsThatDoWhatItSays() throws Exception {
    assumeTrue(isThere("openssl") && isThere("curl"), "needs openssl and curl");
    run(command("openssl req"), 0);
    List<String> flags = command("./weir run");
    List<String> given = new ArrayList<>();
    for (int i = 2; i < flags.size(); i += 2) {
      String value = flags.get(i + 1);
      if (!flags.get(i).equals("--upstream")) {
        boolean isFile = flags.get(i).startsWith("--tls.");
        given.add(flags.get(i));
        given.add(isFile ? folder.resolve(value).toString() : value.replace("8443", "0"));
      }
    }
    try (Rig rig = new Rig("nio", given.toArray(String[]::new))) {
      int port = rig.port();
      assertTrue(run(command("curl"), port).endsWith(RecordingOrigin.BODY));
      String seen = run(command("openssl s_client"), port);
      assertTrue(seen.contains("Protocol version: TLSv1.3"), seen);
      assertTrue(seen.contains("Verification: OK"), seen);
    }
  }
}
