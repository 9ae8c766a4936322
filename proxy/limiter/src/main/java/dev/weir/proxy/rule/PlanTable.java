package dev.weir.proxy.rule;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

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

  /** Forgets the values of all other numbers. */
  synchronized void retain(IntPredicate kept) {
    AtomicReferenceArray<T>[] more = pages.clone();
    for (int page = 0; page < more.length; page++) {
      boolean isUsed = false;
      for (int i = 0; more[page] != null && i < PAGE; i++) {
        if (!kept.test(page << PAGE_BITS | i)) {
          more[page].set(i, null);
        }
        isUsed |= more[page].get(i) != null;
      }
      more[page] = isUsed ? more[page] : null;
    }
    pages = more;
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
