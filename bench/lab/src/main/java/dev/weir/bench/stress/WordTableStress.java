package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.proxy.admission.ban.WordTable;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Threads that meet in one set of the table of bans: at a word, or at a place that gets a key. */
public final class WordTableStress {
  private WordTableStress() {}

  /** A table of one set. */
  abstract static class StateSet {

    final WordTable table =
        new WordTable(new UnsafeBuffer(new byte[WordTable.WAYS * WordTable.PLACE_BYTES]), 7);

    /** Counts in the word of a key, as refusals are counted. */
    final void count(long key) {
      while (true) {
        int place = table.find(key);
        long word = place == WordTable.NONE ? 0 : table.word(place, key);
        long next = WordTable.word(key, 1000, WordTable.number(word) + 1);
        if (place == WordTable.NONE ? table.add(key, next, 0) : table.replace(place, word, next)) {
          return;
        }
      }
    }

    final int number(long key) {
      int place = table.find(key);
      return place == WordTable.NONE ? 0 : WordTable.number(table.word(place, key));
    }

    final void fill() {
      for (int i = 1; i <= WordTable.WAYS; i++) {
        table.add(i, WordTable.word(i, i, i), 0);
      }
    }
  }

  /** Two threads that count under one new key lose nothing while there is room. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both counted.")
  @Outcome(expect = FORBIDDEN, desc = "One is lost, or counted twice.")
  @State
  public static class OneNewKey extends StateSet {
    @Actor
    public void first() {
      count(99);
    }

    @Actor
    public void second() {
      count(99);
    }

    @Arbiter
    public void after(I_Result r) {
      r.r1 = number(99);
    }
  }

  /** Two threads put the same key into a full set: one of the two first words can be lost. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both counted.")
  @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "They took two places.")
  @Outcome(expect = FORBIDDEN, desc = "The word of another key, or none.")
  @State
  public static class OneNewKeyInAFullSet extends StateSet {
    public OneNewKeyInAFullSet() {
      fill();
    }

    @Actor
    public void first() {
      count(99);
    }

    @Actor
    public void second() {
      count(99);
    }

    @Arbiter
    public void after(I_Result r) {
      r.r1 = number(99);
    }
  }

  /** A key that gives way is read by one thread while another one takes its place. */
  @JCStressTest
  @Outcome(id = "1, 77", expect = ACCEPTABLE, desc = "Read before.")
  @Outcome(id = "0, 77", expect = ACCEPTABLE, desc = "Gone.")
  @Outcome(expect = FORBIDDEN, desc = "The word of the new key under the former one.")
  @State
  public static class PlaceThatGetsAnotherKey extends StateSet {
    public PlaceThatGetsAnotherKey() {
      fill();
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = number(1);
    }

    @Actor
    public void writer() {
      table.add(99, WordTable.word(99, 1000, 77), 0);
    }

    @Arbiter
    public void after(II_Result r) {
      r.r2 = number(99);
    }
  }

  /** Who counts under a key that gives way changes no word of the new key. */
  @JCStressTest
  @Outcome(id = "77", expect = ACCEPTABLE, desc = "The new key has its word.")
  @Outcome(expect = FORBIDDEN, desc = "Changed by who meant the former key.")
  @State
  public static class CountUnderAKeyThatGivesWay extends StateSet {
    public CountUnderAKeyThatGivesWay() {
      fill();
    }

    @Actor
    public void counter() {
      int place = table.find(1);
      long word = place == WordTable.NONE ? 0 : table.word(place, 1);
      if (word != 0) {
        table.replace(place, word, WordTable.word(1, 2, 5));
      }
    }

    @Actor
    public void writer() {
      while (!table.add(99, WordTable.word(99, 1000, 77), 0)) {
        Thread.onSpinWait();
      }
    }

    @Arbiter
    public void after(I_Result r) {
      r.r1 = number(99);
    }
  }
}
