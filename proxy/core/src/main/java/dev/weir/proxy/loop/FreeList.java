package dev.weir.proxy.loop;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * Unused objects, to be reused: the one returned last is taken first, as it is likeliest to be in a
 * processor's cache. Belongs to one thread.
 */
public final class FreeList<T> {
  private static final int FIRST_PLACES = 16;

  private final int mostKept;
  private final Supplier<T> making;
  private Object[] kept = new Object[FIRST_PLACES];
  private int count;

  /**
   * @param mostKept objects at a time; more are left to the garbage collector.
   * @param making makes one when none is kept.
   */
  public FreeList(int mostKept, Supplier<T> making) {
    this.mostKept = mostKept;
    this.making = making;
  }

  /** An unused object, with whatever its last user left in it. */
  @SuppressWarnings("unchecked")
  public T take() {
    if (count == 0) {
      return making.get();
    }
    T taken = (T) kept[--count];
    kept[count] = null;
    return taken;
  }

  /**
   * Returns an object, once for each time that it was taken.
   *
   * @return false if enough are kept, and this one is not.
   */
  public boolean give(T used) {
    if (count == mostKept) {
      return false;
    }
    if (count == kept.length) {
      kept = Arrays.copyOf(kept, Math.min(mostKept, 2 * count));
    }
    kept[count++] = used;
    return true;
  }
}
