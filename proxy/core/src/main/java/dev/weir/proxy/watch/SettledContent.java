package dev.weir.proxy.watch;

import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * What files hold, each time that they are read. A new content counts when it was read twice in a
 * row, so that half of a change, which may well be valid, is not taken for the whole. Not
 * thread-safe.
 *
 * @param <C> what a reading of the files comes to; may be null.
 */
public final class SettledContent<C> {
  /** Readings in a row by {@link #readNow}. */
  static final int MOST_READINGS = 10;

  private final BiPredicate<C, C> isSame;
  private C known;
  private C last;

  /**
   * The content of files that have been read once.
   *
   * @param isSame whether two readings found the same.
   * @param known what is in use, which is never new.
   * @param last what was read; another content than the known one if the files have changed since
   *     they were taken into use.
   */
  public SettledContent(BiPredicate<C, C> isSame, C known, C last) {
    this.isSame = isSame;
    this.known = known;
    this.last = last;
  }

  /**
   * Tells what has been read now.
   *
   * @return true if it is new: read twice in a row, and not what is known. It is known from then
   *     on.
   */
  public boolean isNew(C read) {
    boolean isSettled = isSame.test(read, last);
    last = read;
    if (!isSettled || isSame.test(read, known)) {
      return false;
    }
    known = read;
    return true;
  }

  /** Takes what has been read now for known, new or not. */
  public void know(C read) {
    known = read;
    last = read;
  }

  /**
   * Reads at once, and again until two readings in a row find the same: of files that are swapped
   * together, one reading may find some of before and some of after. What still changes behind
   * {@link #MOST_READINGS} is taken as it was last.
   *
   * @return what has been read, known from now on.
   */
  public C readNow(Supplier<C> reading) {
    C read = reading.get();
    C before;
    int count = 1;
    do {
      before = read;
      read = reading.get();
      count++;
    } while (count < MOST_READINGS && !isSame.test(before, read));
    know(read);
    return read;
  }
}
