package dev.weir.proxy.virtual;

/** Somebody at the far end of a connection. */
interface Actor {
  /** Does one thing at random; nothing, if there is nothing to do. */
  void step(Choices choices);

  /**
   * Does all that can be done without harm, once no more choices are made.
   *
   * @return whether anything was done.
   */
  boolean settle();

  /** Ends what may last for hours, as nothing has happened for seconds; returns whether it did. */
  default boolean endWhatLasts() {
    return false;
  }

  /** There are no clients any more: ends what nobody else would end; returns whether it did. */
  default boolean leave() {
    return false;
  }

  /**
   * Nothing happens by itself, in an episode in which nobody does anything bad: nobody may wait.
   */
  default void checkServed() {}

  /** Finds that all is as it must be, once nothing happens any more. */
  void check();
}
