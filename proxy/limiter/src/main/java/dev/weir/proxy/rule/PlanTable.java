package dev.weir.proxy.rule;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * Values by the numbers of plans. Reading takes two loads and no lock; one thread at a time writes.
 *
 * @param <T> the values.
 */
final class PlanTable<T> {
  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  private volatile AtomicReferenceArray<T>[] pages = new AtomicReferenceArray[0];

  /** The value of a number; null if there is none. */
  T get(int number) {
    AtomicReferenceArray<T>[] all = pages;
    int page = number >>> PAGE_BITS;
    return page >= all.length || all[page] == null ? null : all[page].get(number & PAGE - 1);
  }

  /** Sets the value of a number. */
  synchronized void put(int number, T value) {
    int page = number >>> PAGE_BITS;
    if (page >= pages.length || pages[page] == null) {
      AtomicReferenceArray<T>[] more = Arrays.copyOf(pages, Math.max(page + 1, pages.length));
      more[page] = new AtomicReferenceArray<>(PAGE);
      pages = more;
    }
    pages[page].set(number & PAGE - 1, value);
  }

  /** Whether nothing was put. */
  boolean isEmpty() {
    return pages.length == 0;
  }

  /** Passes on each value. */
  void forEach(Consumer<T> each) {
    for (AtomicReferenceArray<T> page : pages) {
      for (int i = 0; page != null && i < PAGE; i++) {
        T value = page.get(i);
        if (value != null) {
          each.accept(value);
        }
      }
    }
  }
}
