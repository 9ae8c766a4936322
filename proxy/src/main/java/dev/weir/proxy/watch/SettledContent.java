package dev.weir.proxy.watch;

import java.util.function.BiPredicate;

/**
 * What files hold, each time that they are read. A new content counts when it was read twice in a
 * row, so that half of a change, which may well be valid, is not taken for the whole. Not
 * thread-safe.
 *
 * @param <C> what a reading of the files comes to; may be null.
 */
public final class SettledContent<C> {
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
}
