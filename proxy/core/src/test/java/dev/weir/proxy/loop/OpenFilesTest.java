package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {
  @TempDir private Path folder;

  private long limit(String line) throws IOException {
    String head =
        "Limit                     Soft Limit           Hard Limit           Units     \n";
    String other =
        "Max processes             7                    8                    processes \n";
    return OpenFiles.limit(Files.writeString(folder.resolve("limits"), head + other + line));
  }

  @ParameterizedTest
  @CsvSource({"1024, 524288, 1024", "unlimited, unlimited, " + Long.MAX_VALUE, "0, 0, 0"})
  void theLimitIsTheSoftOne(String soft, String hard, long expected) throws IOException {
    String format = "Max open files            %-20s %-20s files     %n";
    assertEquals(expected, limit(String.format(format, soft, hard)));
  }

  @Test
  void aPageWithoutTheLimitIsAFault() {
    assertThrows(IOException.class, () -> limit(""));
  }

  @Test
  void theJvmSaysTheSame() throws IOException {
    UnixOperatingSystemMXBean system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    assertEquals(system.getMaxFileDescriptorCount(), OpenFiles.limit());
    long before = OpenFiles.count();
    assertTrue(before > 0 && before < OpenFiles.limit());
    Path file = Files.writeString(folder.resolve("file"), "");
    List<InputStream> opened = List.of(Files.newInputStream(file), Files.newInputStream(file));
    assertEquals(before + opened.size(), OpenFiles.count());
    for (InputStream in : opened) {
      in.close();
    }
  }
}
