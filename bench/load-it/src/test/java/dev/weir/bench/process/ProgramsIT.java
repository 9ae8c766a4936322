package dev.weir.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgramsIT {
  @Test
  void bothOutputsAreRead() throws IOException {
    assertEquals(
        List.of("one", "two"),
        Programs.output(List.of("sh", "-c", "echo one; echo two >&2")).lines().sorted().toList());
  }

  @Test
  void oneThatFailsTellsWhatItPrinted() {
    assertEquals(
        "sh ended with 3: no such flag",
        assertThrows(
                IOException.class,
                () -> Programs.output(List.of("sh", "-c", "echo no such flag; exit 3")))
            .getMessage());
  }

  @Test
  void whatIsNotInstalledIsNotFound() {
    assertTrue(Programs.find("sh").isPresent());
    assertEquals(Optional.empty(), Programs.find("no-such-program-anywhere"));
  }
}
