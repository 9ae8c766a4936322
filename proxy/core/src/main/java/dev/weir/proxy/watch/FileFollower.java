package dev.weir.proxy.watch;

import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Follows files while they are in use: reads them every half a second, on a thread of its own, and
 * has a new content taken.
 *
 * <p>Files are read, not watched for events: that sees what events miss or tell in ways of their
 * own, such as an editor's rename, a symbolic link that Kubernetes swaps, or a network file system.
 * A content is new when two readings in a row have found it and it is not the one in use: half of a
 * change may well be valid, and must not be taken for the whole. The reason why files cannot be
 * read is a content too, so that another reason is told anew.
 *
 * @param <C> what one reading of the files finds.
 */
public final class FileFollower<C> implements AutoCloseable {
  /** Readings in a row by {@link #readNow}. */
  static final int MOST_READINGS = 10;

  private static final long INTERVAL_NS = 500_000_000;

  private final Supplier<C> reading;
  private final BiPredicate<C, C> isSame;
  private final Consumer<C> taking;
  private final Reloads reloads;
  private C known;
  private C last;
  private volatile WatchThread thread;

  /**
   * Follows files that have been read once; nothing is read until {@link #start}.
   *
   * @param reading finds what the files hold now, or why they cannot be read.
   * @param isSame whether two readings have found the same.
   * @param taking has a content taken into use, or tells what is wrong with it; run by one thread
   *     at a time. What it throws counts as a rejected content.
   * @param reloads is told of contents for which {@code taking} throws; this follower is the part.
   * @param known the content in use, which is never new.
   * @param last the content that was read last: another one if files have changed meanwhile.
   */
  public FileFollower(
      Supplier<C> reading,
      BiPredicate<C, C> isSame,
      Consumer<C> taking,
      Reloads reloads,
      C known,
      C last) {
    this.reading = reading;
    this.isSame = isSame;
    this.taking = taking;
    this.reloads = reloads;
    this.known = known;
    this.last = last;
  }

  /**
   * Begins to follow, once at the most.
   *
   * @param name of the thread, which does not keep the process alive.
   * @param failure what the log says when a content cannot be taken by a fault of ours.
   */
  public synchronized void start(String name, String failure) {
    thread = new WatchThread(name, INTERVAL_NS, this::poll, failure);
    thread.start();
  }

  /** Reads the files once, and has their content taken if it is new. */
  public synchronized void poll() {
    C read = reading.get();
    boolean isSettled = isSame.test(read, last);
    last = read;
    if (isSettled && !isSame.test(read, known)) {
      take(read);
    }
  }

  /**
   * Reads the files at once and has their content taken, new or not: for SIGHUP. Any thread.
   *
   * @return the content.
   */
  public synchronized C reload() {
    C read = readNow();
    take(read);
    return read;
  }

  /**
   * Reads the files at once. Of files that are swapped together, one reading may find some of
   * before and some of after, so they are read until two readings in a row find the same, but
   * {@link #MOST_READINGS} times at most.
   *
   * @return the content, which counts as the one in use from now on.
   */
  public synchronized C readNow() {
    C before;
    int count = 1;
    last = reading.get();
    do {
      before = last;
      last = reading.get();
      count++;
    } while (count < MOST_READINGS && !isSame.test(before, last));
    known = last;
    return last;
  }

  private void take(C read) {
    known = read;
    try {
      taking.accept(read);
    } catch (RuntimeException | Error bug) {
      reloads.rejected(this);
      throw bug;
    }
  }

  /** Follows no longer; a reading that goes on is not waited for. Any thread, started or not. */
  @Override
  public void close() {
    WatchThread started = thread;
    if (started != null) {
      started.close();
    }
  }
}
