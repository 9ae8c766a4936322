package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;

/** The commands that a variant sends. */
interface Traffic {
  /** Commands that are encoded ahead, in units of decisions; sent again from the first. */
  int DECISIONS = 1 << 17;

  /** Where the random keys of every variant begin. */
  long SEED = 7;

  /** Loads scripts; called once per server, before anything else. */
  void begin(RedisServer server) throws IOException;

  /** Puts into an empty server whatever must be there before the commands of {@link #fill}. */
  default void prepare(RedisServer server) throws IOException {}

  /** Appends commands that bring every key into the state that is measured, each sent once. */
  void fill(Commands commands);

  /** Appends the commands that are measured. */
  void load(Commands commands);

  /** Decided requests per command. */
  double decisionsPerCommand();

  /** The command whose time is reported, as the server's statistics name it. */
  String statistic();

  /** Whether the reply to the first command of {@link #load} is the one meant to be measured. */
  boolean expected(byte[] reply);
}
