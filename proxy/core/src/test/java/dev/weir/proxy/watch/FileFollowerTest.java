package dev.weir.proxy.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FileFollowerTest {
  private final List<String> taken = new ArrayList<>();
  private final Reloads reloads = new Reloads();
  private Iterator<String> readings;

  /** Follows a file that holds these texts, one at each reading. */
  private FileFollower<String> follower(String known, String last, String... texts) {
    readings = List.of(texts).iterator();
    return new FileFollower<>(this::next, Objects::equals, taken::add, reloads, known, last);
  }

  /** The next reading; null for a file that is not there. */
  private String next() {
    String read = readings.next();
    return read.equals("-") ? null : read;
  }

  private List<String> polled(FileFollower<String> follower) {
    while (readings.hasNext()) {
      follower.poll();
    }
    return taken;
  }

  @Test
  void takesANewContentOnceWhenItWasReadTwiceInARow() {
    FileFollower<String> follower = follower("a", "a", "a", "b", "b", "b");
    assertEquals(List.of("b"), polled(follower));
  }

  @Test
  void takesNothingOnTheFirstReadingOfIt() {
    assertEquals(List.of(), polled(follower("a", "a", "a", "b")));
  }

  @Test
  void takesNothingWhileItGrows() {
    assertEquals(List.of("bcd"), polled(follower("a", "a", "b", "bc", "bcd", "bcd")));
  }

  @Test
  void takesNothingThatIsInUseAgain() {
    assertEquals(List.of(), polled(follower("a", "a", "b", "a", "a")));
  }

  @Test
  void takesAtOnceWhatWasReadBeforeAndIsNotInUse() {
    assertEquals(List.of("b"), polled(follower(null, "b", "b")));
  }

  @Test
  void takesThatTheFileIsGoneForAContentToo() {
    List<String> both = new ArrayList<>();
    both.add(null);
    both.add("a");
    assertEquals(both, polled(follower("a", "a", "-", "-", "a", "a")));
  }

  @Test
  void takesWhatWasReadNowNoSecondTime() {
    FileFollower<String> follower = follower("a", "a", "b", "b", "b", "a", "a");
    assertEquals("b", follower.reload());
    assertEquals(List.of("b", "a"), polled(follower));
  }

  @Test
  void readsNowUntilItIsTheSameTwiceInARow() {
    FileFollower<String> follower = follower("a", "a", "ab", "b", "c", "c", "d");
    assertEquals("c", follower.reload());
    assertEquals("d", readings.next());
    assertEquals(List.of("c"), taken);
  }

  @Test
  void readsNowOnlySoOftenWhereItNeverSettles() {
    AtomicInteger count = new AtomicInteger();
    new FileFollower<>(
            () -> Integer.toString(count.incrementAndGet()),
            Objects::equals,
            taken::add,
            reloads,
            "a",
            "a")
        .reload();
    assertEquals(FileFollower.MOST_READINGS, count.get());
  }

  @Test
  void countsAContentThatFailedToBeTakenAsRejected() {
    FileFollower<String> follower =
        new FileFollower<>(
            () -> "b",
            Objects::equals,
            read -> {
              throw new OutOfMemoryError("in a test");
            },
            reloads,
            "a",
            "b");
    assertThrows(OutOfMemoryError.class, follower::poll);
    assertEquals(1, reloads.rejectedCount());
    assertFalse(reloads.isLastTaken());
    follower.poll(); // known by now, and not tried again
  }
}
