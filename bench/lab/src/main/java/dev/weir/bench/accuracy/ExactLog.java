package dev.weir.bench.accuracy;

/**
 * The reference: for each key, every admission of the last window by its time, so that a request
 * passes if and only if fewer than the limit were admitted during (now - window, now]. Written from
 * that sentence alone; shares no code with the algorithms. Times of a key never step back.
 */
final class ExactLog {
  private final TimeQueue[] admissions;
  private final int limit;
  private final long windowNs;

  ExactLog(int keyCount, int limit, long windowNs) {
    admissions = new TimeQueue[keyCount];
    this.limit = limit;
    this.windowNs = windowNs;
  }

  /** Admissions during the window that ends now; may be above the limit if others decided. */
  int count(int key, long nowNs) {
    final TimeQueue queue = admissions[key];
    if (queue == null) {
      return 0;
    }
    queue.dropUntil(nowNs - windowNs);
    return queue.size();
  }

  boolean wouldAdmit(int key, long nowNs) {
    return count(key, nowNs) < limit;
  }

  /** Enters an admission, whoever decided on it. */
  void add(int key, long nowNs) {
    if (admissions[key] == null) {
      admissions[key] = new TimeQueue();
    }
    admissions[key].add(nowNs);
  }

  /** Decides, and enters what it admits. */
  boolean admit(int key, long nowNs) {
    final boolean admitted = wouldAdmit(key, nowNs);
    if (admitted) {
      add(key, nowNs);
    }
    return admitted;
  }

  /** How long until a request passes if nobody else comes; 0 if it passes now. */
  long waitNs(int key, long nowNs) {
    final int count = count(key, nowNs);
    return count < limit ? 0 : admissions[key].get(count - limit) + windowNs - nowNs;
  }
}
