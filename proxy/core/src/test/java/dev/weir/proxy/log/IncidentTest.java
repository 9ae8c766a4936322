package dev.weir.proxy.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.LogLines;
import dev.weir.proxy.log.Incident.Ends;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class IncidentTest {
  private static final Logger LOG = LoggerFactory.getLogger(IncidentTest.class);
  private static final String SUBJECT = "an incident of a test";
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private long nowNs = Long.MAX_VALUE - SECOND_NS; // clocks of the JVM wrap

  private Incident incident(Ends ends) {
    return new Incident(
        LOG,
        SUBJECT,
        "requests wait",
        "well again",
        ends,
        () -> nowNs,
        (delayNs, task) ->
            timers.add(
                () -> {
                  nowNs += delayNs;
                  task.run();
                }));
  }

  private static String began(String cause) {
    return "WARN " + SUBJECT + ": " + cause + "; requests wait";
  }

  private static String ended(String before) {
    return "INFO " + SUBJECT + ": well again; it happened " + before;
  }

  @Test
  void isToldOnceWhenItBeginsAndOnceWhenItHasEnded() {
    Incident incident = incident(Ends.BY_WORD);
    try (LogLines log = new LogLines()) {
      incident.ended();
      for (int i = 0; i < 61; i++) {
        incident.noticed("refused");
        nowNs += SECOND_NS / 5;
      }
      assertEquals(List.of(began("refused")), log.with(SUBJECT));
      incident.ended();
      incident.ended();
      assertEquals(1, timers.size());
      timers.poll().run();
      incident.ended();
      assertEquals(List.of(began("refused"), ended("61 times in 12.2 s")), log.with(SUBJECT));
    }
  }

  @Test
  void hasNotEndedIfItComesBackBeforeThatWasTold() {
    Incident incident = incident(Ends.BY_WORD);
    try (LogLines log = new LogLines()) {
      incident.noticed("refused");
      incident.ended();
      incident.noticed("refused");
      timers.poll().run();
      assertEquals(List.of(began("refused")), log.with(SUBJECT));
      incident.ended();
      timers.poll().run();
      assertEquals(2, log.with(SUBJECT).size());
    }
  }

  @Test
  void waitsAnewWhereItEndedAgainMeanwhile() {
    Incident incident = incident(Ends.BY_WORD);
    try (LogLines log = new LogLines()) {
      incident.noticed("refused");
      incident.ended();
      nowNs += SECOND_NS / 2;
      incident.noticed("refused");
      incident.ended();
      nowNs -= SECOND_NS / 2; // the timer's second began with the first end
      timers.poll().run();
      assertEquals(1, log.with(SUBJECT).size());
      timers.poll().run();
      assertEquals(ended("2 times in 0.5 s"), log.with(SUBJECT).get(1));
    }
  }

  @Test
  void whatComesAndGoesWithoutEndIsTwoLinesAMinute() {
    Incident incident = incident(Ends.BY_WORD);
    try (LogLines log = new LogLines()) {
      long startNs = nowNs;
      while (nowNs - startNs < 3_600 * SECOND_NS) {
        incident.noticed("refused");
        incident.ended();
        nowNs += 1;
        if (!timers.isEmpty()) {
          timers.poll().run();
        }
      }
      assertTrue(log.with(SUBJECT).size() < 140, log.with(SUBJECT).size() + " lines in an hour");
    }
  }

  @Test
  void endsByQuietWhenItHasNotBeenNoticedForAMinute() {
    Incident incident = incident(Ends.BY_QUIET);
    try (LogLines log = new LogLines()) {
      incident.noticed("full", 10);
      nowNs += 3 * SECOND_NS;
      incident.noticed("full", 5);
      nowNs -= 3 * SECOND_NS;
      timers.poll().run();
      assertEquals(List.of(began("full")), log.with(SUBJECT));
      timers.poll().run();
      assertEquals(List.of(began("full"), ended("15 times in 3.0 s")), log.with(SUBJECT));
      assertEquals(0, timers.size());
    }
  }

  @Test
  void tellsEachCauseOnceAndNoMoreThanSoMany() {
    Incident incident = incident(Ends.BY_WORD);
    List<String> expected = new ArrayList<>();
    try (LogLines log = new LogLines()) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2 * Incident.MOST_CAUSES; i++) {
          incident.noticed("cause" + i);
        }
      }
      for (int i = 0; i < Incident.MOST_CAUSES; i++) {
        expected.add(began("cause" + i));
      }
      assertEquals(expected, log.with(SUBJECT));
    }
  }

  @Test
  void countsFromWhenItBeganThoughItIsNoticedLater() {
    Incident incident = incident(Ends.BY_WORD);
    try (LogLines log = new LogLines()) {
      incident.noticed("stuck", 1, 3 * SECOND_NS);
      nowNs += 362 * SECOND_NS;
      incident.ended();
      timers.poll().run();
      assertEquals(ended("once, for 6 min 5 s"), log.with(SUBJECT).get(1));
    }
  }

  @Test
  void allocatesNothingWhileItGoesOnNorWhileThereIsNone() {
    Incident incident = incident(Ends.BY_WORD);
    Incident none = incident(Ends.BY_WORD);
    incident.noticed("refused");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 20_000; i++) {
        incident.noticed("refused");
        none.ended();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least, "bytes allocated by 20,000 notices");
  }

  @Test
  void keepsNoMoreThanSoManyNames() {
    Incidents incidents = new Incidents(name -> incident(Ends.BY_WORD));
    try (LogLines log = new LogLines()) {
      for (int i = 0; i < 2 * Incidents.MOST_NAMES; i++) {
        incidents.noticed("name" + i, "away");
      }
      assertEquals(Incidents.MOST_NAMES + 1, incidents.size());
      for (int i = 0; i < 2 * Incidents.MOST_NAMES; i++) {
        incidents.ended("name" + i);
      }
      incidents.ended(Incidents.OTHERS);
      while (!timers.isEmpty()) {
        timers.poll().run();
      }
      incidents.noticed("another", "away");
      assertEquals(1, incidents.size());
      assertEquals(2 * (Incidents.MOST_NAMES + 1) + 1, log.with(SUBJECT).size());
    }
  }
}
