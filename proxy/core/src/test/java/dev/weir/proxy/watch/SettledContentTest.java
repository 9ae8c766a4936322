package dev.weir.proxy.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SettledContentTest {
  private static SettledContent<String> content(String known, String last) {
    return new SettledContent<>(Objects::equals, known, last);
  }

  @Test
  void isNewOnceWhenItWasReadTwiceInARow() {
    SettledContent<String> content = content("a", "a");
    assertFalse(content.isNew("a"));
    assertFalse(content.isNew("b"), "read once");
    assertTrue(content.isNew("b"));
    assertFalse(content.isNew("b"), "known");
  }

  @Test
  void isNotNewWhileItGrows() {
    SettledContent<String> content = content("a", "a");
    assertFalse(content.isNew("b"));
    assertFalse(content.isNew("bc"));
    assertFalse(content.isNew("bcd"));
    assertTrue(content.isNew("bcd"));
  }

  @Test
  void isNotNewWhenItIsAgainWhatIsKnown() {
    SettledContent<String> content = content("a", "a");
    assertFalse(content.isNew("b"));
    assertFalse(content.isNew("a"));
    assertFalse(content.isNew("a"));
  }

  @Test
  void isNewAtOnceWhenItWasReadBeforeAndIsNotInUse() {
    assertTrue(content(null, "b").isNew("b"));
  }

  @Test
  void whatIsNotThereIsAContentToo() {
    SettledContent<String> content = content("a", "a");
    assertFalse(content.isNew(null));
    assertTrue(content.isNew(null));
    assertFalse(content.isNew("a"));
    assertTrue(content.isNew("a"));
  }

  @Test
  void isNotNewOnceItIsKnown() {
    SettledContent<String> content = content("a", "a");
    content.know("b");
    assertFalse(content.isNew("b"));
    assertFalse(content.isNew("a"), "read once");
    assertTrue(content.isNew("a"));
  }

  @Test
  void isReadNowUntilItIsTheSameTwiceInARow() {
    Iterator<String> readings = List.of("ab", "b", "c", "c", "d").iterator();
    assertEquals("c", content("a", "a").readNow(readings::next));
    assertEquals("d", readings.next());
  }

  @Test
  void isReadNowOnlySoOftenWhereItNeverSettles() {
    AtomicInteger readings = new AtomicInteger();
    content("a", "a").readNow(() -> Integer.toString(readings.incrementAndGet()));
    assertEquals(SettledContent.MOST_READINGS, readings.get());
  }

  @Test
  void isKnownOnceItWasReadNow() {
    SettledContent<String> content = content("a", "a");
    content.readNow(() -> "b");
    assertFalse(content.isNew("b"));
  }
}
