package dev.weir.proxy.admission.ban;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WordTableTest {
  private static final long KEY = 0x1234_5678_9ABC_DEF0L;

  private static long timeMs(WordTable table, long key) {
    int place = table.find(key);
    return place == WordTable.NONE ? 0 : WordTable.timeMs(table.word(place, key));
  }

  @Test
  void wordsHaveATimeANumberAndATagOfTheirKey() {
    long word = WordTable.word(KEY, (1L << 39) - 1, WordTable.MAX_NUMBER);
    assertEquals(0x7FFF_FFFF_FFFF_FF12L, word);
    assertEquals((1L << 39) - 1, WordTable.timeMs(word));
    assertEquals(WordTable.MAX_NUMBER, WordTable.number(word));
    assertEquals(0x0000_0000_0100_0212L, WordTable.word(KEY, 1, 2));
  }

  @Test
  void aFullSetForgetsWhatEndsFirstAndCountsWhatHadNotEnded() {
    WordTable table = new WordTable(WordTable.WAYS, 7);
    for (int i = 1; i <= WordTable.WAYS; i++) {
      assertTrue(table.add(i, WordTable.word(i, 100 + i, 1), 0));
    }
    assertTrue(table.add(9, WordTable.word(9, 50, 1), 102));
    assertEquals(0, timeMs(table, 1));
    assertEquals(50, timeMs(table, 9));
    assertEquals(0, table.evictedCount(), "it had ended");
    assertTrue(table.add(10, WordTable.word(10, 500, 1), 50));
    assertEquals(0, timeMs(table, 9), "the earliest, though it came last");
    assertEquals(1, table.evictedCount());
    for (int i = 2; i <= WordTable.WAYS; i++) {
      assertEquals(100 + i, timeMs(table, i));
    }
  }

  @Test
  void aKeyThatIsThereIsNotAddedAgain() {
    WordTable table = new WordTable(WordTable.WAYS, 7);
    assertTrue(table.add(KEY, WordTable.word(KEY, 100, 1), 0));
    assertFalse(table.add(KEY, WordTable.word(KEY, 200, 2), 0));
    assertEquals(100, timeMs(table, KEY));
  }

  @Test
  void aPlaceThatGotAnotherKeyIsNotChangedForTheFormerOne() {
    WordTable table = new WordTable(WordTable.WAYS, 7);
    for (int i = 1; i <= WordTable.WAYS; i++) {
      table.add(i, WordTable.word(i, 100 + i, 1), 0);
    }
    int place = table.find(1);
    long word = table.word(place, 1);
    long other = 1L << 60;
    table.add(other, WordTable.word(other, 101, 1), 0);
    assertEquals(place, table.find(other));
    assertEquals(0, table.word(place, 1));
    assertFalse(table.replace(place, word, WordTable.word(1, 900, 1)));
  }

  /** Each key's word tells of the key, so that a word under another key is seen. */
  @Test
  void threadsNeverSeeTheWordOfAnotherKey() throws Exception {
    WordTable table = new WordTable(4 * WordTable.WAYS, 7);
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger found = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Random random = new Random(i);
      threads.add(
          new Thread(
              () -> {
                for (int step = 0; step < 300_000; step++) {
                  int of = 1 + random.nextInt(64);
                  long key = (long) of << 32;
                  int place = table.find(key);
                  long word = place == WordTable.NONE ? 0 : table.word(place, key);
                  found.addAndGet(word == 0 ? 0 : 1);
                  wrong.addAndGet(word != 0 && WordTable.number(word) != of ? 1 : 0);
                  long next = WordTable.word(key, 1 + random.nextInt(1000), of);
                  if (place == WordTable.NONE) {
                    table.add(key, next, 0);
                  } else {
                    table.replace(place, word, next);
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(0, wrong.get());
    assertNotEquals(0, found.get());
  }
}
