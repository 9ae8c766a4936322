package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * The usual sliding log in a sorted set, as four commands or as one script of the four. The times
 * of the commands are counted from the first on, as they are encoded before they are sent.
 */
final class SortedSetTraffic implements Traffic {
  private static final int COMMANDS = 4;
  private static final long STEP_US = 50;
  private static final long WINDOW_US = 60_000_000;
  private static final String WINDOW_SECONDS = "60";
  private static final long FIRST_US = 1_000_000_000_000_000L;

  private final Keys keys;
  private final boolean atomic;
  private String sha1;

  SortedSetTraffic(int keyCount, boolean atomic) {
    keys = Keys.of("sliding-log", keyCount);
    this.atomic = atomic;
  }

  @Override
  public void begin(RedisServer server) throws IOException {
    sha1 = server.load(Script.FOUR_COMMANDS.source());
  }

  @Override
  public void fill(Commands commands) {
    for (int i = 0; i < keys.count(); i++) {
      commands.command(4).part("ZADD").part(keys.name(i));
      commands.part(Long.toString(FIRST_US)).part("fill");
    }
  }

  @Override
  public void load(Commands commands) {
    final Random random = new Random(SEED);
    for (int i = 0; i < DECISIONS; i++) {
      final byte[] key = keys.any(random);
      final String member = "m" + i;
      if (atomic) {
        commands.command(7).part("EVALSHA").part(sha1).part("1").part(key);
        commands.part(Long.toString(WINDOW_US)).part(WINDOW_SECONDS).part(member);
      } else {
        four(commands, key, FIRST_US + i * STEP_US, member);
      }
    }
  }

  private static void four(Commands commands, byte[] key, long nowUs, String member) {
    commands.command(4).part("ZREMRANGEBYSCORE").part(key);
    commands.part("-inf").part(Long.toString(nowUs - WINDOW_US));
    commands.command(4).part("ZADD").part(key).part(Long.toString(nowUs)).part(member);
    commands.command(3).part("EXPIRE").part(key).part(WINDOW_SECONDS);
    commands.command(2).part("ZCARD").part(key);
  }

  @Override
  public double decisionsPerCommand() {
    return atomic ? 1 : 1.0 / COMMANDS;
  }

  @Override
  public String statistic() {
    return atomic ? "evalsha" : "";
  }

  @Override
  public boolean expected(byte[] reply) {
    // How many were removed, or how many there are.
    return reply != null
        && Integer.parseInt(new String(reply, StandardCharsets.US_ASCII)) >= (atomic ? 1 : 0);
  }
}
