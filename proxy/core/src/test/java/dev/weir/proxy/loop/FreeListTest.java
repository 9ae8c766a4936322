package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreeListTest {
  private int madeCount;

  private FreeList<Object> list(int mostKept) {
    return new FreeList<>(
        mostKept,
        () -> {
          madeCount++;
          return new Object();
        });
  }

  @Test
  void takesTheOneGivenBackLast() {
    FreeList<Object> list = list(10);
    Object first = list.take();
    Object second = list.take();
    assertNotSame(first, second);
    list.give(first);
    list.give(second);
    assertSame(second, list.take());
    assertSame(first, list.take());
    assertEquals(2, madeCount);
  }

  @Test
  void keepsNoMoreThanItMay() {
    for (int most : new int[] {1, 15, 16, 17, 100}) {
      madeCount = 0;
      FreeList<Object> list = list(most);
      List<Object> taken = new ArrayList<>();
      for (int i = 0; i < most + 1; i++) {
        taken.add(list.take());
      }
      taken.forEach(list::give);
      for (int i = 0; i < most; i++) {
        list.take();
      }
      assertEquals(most + 1, madeCount, most + " kept");
      list.take();
      assertEquals(most + 2, madeCount, most + " kept");
    }
  }
}
