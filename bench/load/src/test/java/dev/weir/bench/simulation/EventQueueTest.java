package dev.weir.bench.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventQueueTest {
  @Test
  void givesEventsInTheOrderOfTheirTimes() {
    EventQueue events = new EventQueue();
    SplittableRandom random = new SplittableRandom(3);
    long lastNs = 0;
    int count = 0;
    for (int i = 0; i < 5_000; i++) {
      Question question = events.take();
      question.sentNs = lastNs + random.nextInt(100);
      events.add(question.sentNs, Question.Step.ASKED, question);
      count++;
      while (count > 0 && random.nextInt(5) < 2) {
        assertEquals(true, events.firstNs() >= lastNs);
        lastNs = events.firstNs();
        Question first = events.poll();
        assertEquals(lastNs, first.sentNs);
        events.leave(first);
        count--;
      }
    }
    while (count-- > 0) {
      assertEquals(true, events.firstNs() >= lastNs);
      lastNs = events.firstNs();
      assertEquals(lastNs, events.poll().sentNs);
    }
    assertEquals(EventQueue.NEVER, events.firstNs());
  }
}
