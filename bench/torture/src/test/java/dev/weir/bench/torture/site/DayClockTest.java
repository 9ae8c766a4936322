package dev.weir.bench.torture.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.bench.process.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DayClockTest {
  private static final long HOUR_SECONDS = 3_600;
  private static final long NS = 1_000_000_000;

  @TempDir private Path folder;

  @Test
  void setsTheTimeOfDayOfAProcessForwardAndBack() throws IOException {
    final Path library = DayClock.compile(folder);
    assumeTrue(library != null, "no C compiler");
    final DayClock clock = DayClock.of(library, folder.resolve("clock"));
    assertTrue(clock.canBeSet());
    clock.set(HOUR_SECONDS * NS);
    assertEquals(HOUR_SECONDS, aheadSeconds(clock), 60);
    clock.set(-HOUR_SECONDS * NS);
    assertEquals(-HOUR_SECONDS, aheadSeconds(clock), 60);
    clock.set(0);
    assertEquals(0, aheadSeconds(clock), 60);
  }

  @Test
  void cannotBeSetWithoutALibrary() throws IOException {
    final DayClock clock = DayClock.of(null, folder.resolve("clock"));
    assertFalse(clock.canBeSet());
    assertEquals(Map.of(), clock.environment());
  }

  private static long aheadSeconds(DayClock clock) throws IOException {
    final List<String> command = new ArrayList<>(List.of("env"));
    clock.environment().forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(List.of("date", "+%s"));
    final long seconds = Long.parseLong(Programs.output(command).strip());
    return seconds - System.currentTimeMillis() / 1_000;
  }
}
