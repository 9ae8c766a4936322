package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams by their identifiers, beside a map of the JDK's. */
class StreamSlotsTest {
  private static final int WINDOW = 65_535;
  private static final int ROUNDS = 20_000;

  private final StreamSlots streams = new StreamSlots();
  private final Map<Integer, Integer> model = new HashMap<>();
  private final Random random = new Random(11);
  private int nextId = 1;

  private int open() {
    final int id = nextId;
    nextId += 2;
    model.put(id, streams.open(id, WINDOW, WINDOW));
    return id;
  }

  private void free(int id) {
    streams.free(model.remove(id));
    assertEquals(StreamSlots.NONE, streams.find(id));
  }

  private void assertAllFound() {
    assertEquals(model.size(), streams.count());
    model.forEach((id, slot) -> assertEquals(slot, streams.find(id), "stream " + id));
    assertEquals(StreamSlots.NONE, streams.find(nextId));
  }

  @Test
  void findsThoseThatAreAnsweredInTheirOrderWhileOthersStayForLong() {
    final Deque<Integer> inOrder = new ArrayDeque<>();
    final Deque<Integer> forLong = new ArrayDeque<>();
    for (int round = 0; round < ROUNDS; round++) {
      final Deque<Integer> of = random.nextInt(50) == 0 ? forLong : inOrder;
      of.add(open());
      while (inOrder.size() > 40) {
        free(inOrder.poll());
      }
      while (forLong.size() > 5) {
        free(forLong.poll());
      }
      assertAllFound();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 64, 300})
  void findsAllWhateverTheOrderInWhichTheyEnd(int most) {
    final List<Integer> open = new ArrayList<>();
    for (int round = 0; round < ROUNDS / 4; round++) {
      if (open.size() < most && (open.isEmpty() || random.nextInt(3) > 0)) {
        nextId += 2 * (random.nextInt(4) / 3 * random.nextInt(9)); // some are left out
        open.add(open());
      } else {
        free(open.remove(random.nextInt(open.size())));
      }
      assertAllFound();
    }
  }
}
