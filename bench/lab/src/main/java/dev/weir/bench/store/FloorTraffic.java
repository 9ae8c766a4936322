package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.util.Locale;
import java.util.Random;

/** One plain command per decision: the least that a server is asked to do. */
final class FloorTraffic implements Traffic {
  enum Command {
    GET,
    INCR,
    SET
  }

  private static final String VALUE_33_BYTES = "012345678901234567890123456789012";
  private static final String TTL_MS = "60000";

  private final Command command;
  private final Keys keys;

  FloorTraffic(Command command, int keyCount) {
    this.command = command;
    keys = Keys.of("floor", keyCount);
  }

  @Override
  public void begin(RedisServer server) {
    // There is no script.
  }

  @Override
  public void fill(Commands commands) {
    for (int i = 0; i < keys.count(); i++) {
      put(commands, command == Command.GET ? Command.SET : command, keys.name(i));
    }
  }

  @Override
  public void load(Commands commands) {
    final Random random = new Random(SEED);
    for (int i = 0; i < DECISIONS; i++) {
      put(commands, command, keys.any(random));
    }
  }

  private static void put(Commands commands, Command command, byte[] key) {
    if (command == Command.SET) {
      commands.command(5).part("SET").part(key).part(VALUE_33_BYTES).part("PX").part(TTL_MS);
    } else {
      commands.command(2).part(command.name()).part(key);
    }
  }

  @Override
  public double decisionsPerCommand() {
    return 1;
  }

  @Override
  public String statistic() {
    return command.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public boolean expected(byte[] reply) {
    return reply != null;
  }
}
