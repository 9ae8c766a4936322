package dev.weir.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessorTimeTest {
  @Test
  void aProcessHasSpentItsUserAndItsSystemTimeWhateverItIsCalled() {
    final String rest = " S 1 2 3 4 5 6 7 8 9 10 1234 66 99 99 20 0 1 0 7 8 9";
    assertEquals(1300, ProcessorTime.ticks("4711 (nginx)" + rest));
    assertEquals(1300, ProcessorTime.ticks("4711 (a) b (c) 1)" + rest));
  }

  @Test
  void aProcessThatHasEndedHasSpentNothing() {
    assertEquals(0, ProcessorTime.ticks(""));
    assertEquals(0, ProcessorTime.residentKib(""));
  }

  @Test
  void memoryIsWhatIsResident() {
    assertEquals(14_336, ProcessorTime.residentKib("VmPeak:\t  99 kB\nVmRSS:\t   14336 kB\n"));
  }

  @Test
  void aCoreIsBusyUnlessItIdlesOrWaits() {
    final List<String> stat =
        List.of(
            "cpu  9 9 9 9 9 9 9 9 9 9",
            "cpu0 1 2 4 1000 1000 8 16 32 0 0",
            "cpu10 1 1 1 1 1 1 1 1");
    assertEquals(63, ProcessorTime.busyTicks(stat, 0));
    assertEquals(6, ProcessorTime.busyTicks(stat, 10));
  }

  @Test
  void aCoreThatIsNotThereIsNamed() {
    assertEquals(
        "core: 1 (expected: one in /proc/stat)",
        assertThrows(
                IllegalArgumentException.class,
                () -> ProcessorTime.busyTicks(List.of("cpu10 1 1 1 1 1 1 1 1"), 1))
            .getMessage());
  }
}
