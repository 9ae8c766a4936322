package dev.weir.proxy.records.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The index against a map, with hashes that crowd into few slots, the last ones too. */
class UserIndexTest {
  private static final long[] CROWDED = {0, 1L << 40, -1L << 54, -1L, Long.MIN_VALUE};

  private final Random random = new Random(17);

  private long hash() {
    return CROWDED[random.nextInt(CROWDED.length)] ^ random.nextInt(40);
  }

  @Test
  void hasWhatAMapHas() {
    UserIndex index = new UserIndex();
    Map<Long, Long> model = new HashMap<>();
    for (int step = 1; step < 100_000; step++) {
      long hash = step % 100 == 0 && step < 60_000 ? random.nextLong() : hash();
      if (random.nextInt(5) < 2) {
        index.remove(hash);
        model.remove(hash);
      } else {
        index.put(hash, step);
        model.put(hash, (long) step);
      }
      long asked = hash();
      assertEquals(model.getOrDefault(asked, UserIndex.NONE), index.get(asked));
      assertEquals(model.size(), index.size());
      if (step % 1000 == 0) {
        model.forEach((key, place) -> assertEquals(place, index.get(key)));
      }
    }
  }

  @Test
  void givesEachPlaceInPagesThoughItGrowsMeanwhile() {
    UserIndex index = new UserIndex();
    for (long place = 1; place <= 300; place++) {
      index.put(place % 3 == 0 ? -place : random.nextLong(), place);
    }
    Set<Long> given = new HashSet<>();
    long next = 0;
    long added = 300;
    do {
      int before = given.size();
      next = index.page(next, 10, given::add);
      assertTrue(given.size() > before || next == 0);
      for (int i = 0; i < 50; i++) {
        index.put(random.nextLong(), ++added);
      }
    } while (next != 0);
    for (long place = 1; place <= 300; place++) {
      assertTrue(given.contains(place), "place " + place);
    }
  }
}
