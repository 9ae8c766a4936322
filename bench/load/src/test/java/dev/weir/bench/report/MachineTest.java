package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void processorIsModelAndNumberOfCores() {
    final List<String> cpuInfo =
        List.of(
            "processor\t: 0",
            "model name\t: AMD EPYC 7B13",
            "",
            "processor\t: 1",
            "model name\t: AMD EPYC 7B13");
    assertEquals("AMD EPYC 7B13, 2 cores", Machine.processor(cpuInfo));
  }

  @Test
  void processorThatNamesNoModelIsItsArchitecture() {
    assertEquals(
        System.getProperty("os.arch") + ", 1 core",
        Machine.processor(List.of("processor\t: 0", "CPU part\t: 0xd0c")));
    assertEquals(System.getProperty("os.arch"), Machine.processor(List.of()));
  }
}
