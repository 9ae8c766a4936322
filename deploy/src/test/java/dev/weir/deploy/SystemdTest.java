package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unit, as systemd reads it; skipped where there is none. */
class SystemdTest {
  @TempDir private Path folder;

  /** With the launcher of this folder, for none is installed. */
  private Program.Result verify(String was, String is) throws IOException {
    Program systemd = Program.find("systemd-analyze");
    String unit = Repository.read(Repository.DEPLOY.resolve("systemd/weir.service"));
    Path file =
        Files.writeString(
            folder.resolve("weir.service"),
            unit.replace("ExecStart=weir", "ExecStart=" + Repository.ROOT.resolve("weir"))
                .replace(was, is));
    return systemd.run("verify", "--man=no", file.toString());
  }

  @Test
  void hasNothingThatSystemdWarnsOf() throws IOException {
    Program.Result result = verify("", "");
    assertEquals(0, result.exitCode(), result.output());
    assertEquals("", result.output());
  }

  /** Or the check would be none. */
  @Test
  void aDirectiveThatSystemdDoesNotKnowIsFound() throws IOException {
    assertNotEquals("", verify("NoNewPrivileges", "NoMorePrivileges").output());
  }
}
