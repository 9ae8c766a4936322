package dev.weir.proxy.store.fleet;

import java.util.List;

/** The bans of a process, as they are exchanged with those of other sidecars. Any thread. */
public interface BanBook {
  /**
   * A ban as it is told.
   *
   * @param name the same on all sidecars.
   * @param leftMs how much longer it lasts; 0 or less if it has ended.
   * @param times which ban of its identity it is; 0 if it was ended before its time.
   * @param keptMs in how many milliseconds it is forgotten; 0 or less if it is.
   */
  record Ban(String name, long leftMs, int times, long keptMs) {}

  /**
   * A ban to tell of.
   *
   * @param agoMs how many milliseconds ago it began, or was ended.
   */
  record News(Ban ban, long agoMs) {}

  /** Whether there are rules with bans. */
  boolean isOpen();

  /**
   * Some bans of which the store was not told yet.
   *
   * @param most of them.
   */
  List<News> untold(int most, long nowNs);

  /** Records that the store was told of the bans that {@link #untold} returned last. */
  void told();

  /**
   * Takes note of a ban that the store knows of.
   *
   * @param nowNs the time from which its times count.
   */
  void learned(Ban ban, long nowNs);
}
