package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.util.Random;

/** Calls of a script that decides batches: the shipped one, or a peer with its encoding. */
class CheckTraffic implements Traffic {
  private static final int FILL_BATCH = 250;

  private final Script script;
  private final CheckedLimit limit;
  private final Keys keys;
  private final int checks;
  private final long requests;
  private String sha1;

  /**
   * @param checks per call.
   * @param requests per check.
   */
  CheckTraffic(Script script, CheckedLimit limit, int keyCount, int checks, long requests) {
    this.script = script;
    this.limit = limit;
    this.keys = Keys.of(limit.algorithm(), keyCount);
    this.checks = checks;
    this.requests = requests;
  }

  @Override
  public void begin(RedisServer server) throws IOException {
    sha1 = server.load(script.source());
  }

  @Override
  public void fill(Commands commands) {
    for (int first = 0; first < keys.count(); first += FILL_BATCH) {
      final int number = Math.min(FILL_BATCH, keys.count() - first);
      head(commands, number);
      for (int i = 0; i < number; i++) {
        commands.part(keys.name(first + i));
      }
      commands.part(limit.argument(number, 1));
    }
  }

  @Override
  public void load(Commands commands) {
    final Random random = new Random(SEED);
    final byte[] argument = limit.argument(checks, requests);
    for (int sent = 0; sent < DECISIONS; sent += checks) {
      head(commands, checks);
      for (int i = 0; i < checks; i++) {
        commands.part(keys.any(random));
      }
      commands.part(argument);
    }
  }

  private void head(Commands commands, int number) {
    commands.command(4 + number).part("EVALSHA").part(sha1).part(Integer.toString(number));
  }

  @Override
  public double decisionsPerCommand() {
    return (double) checks * requests;
  }

  @Override
  public String statistic() {
    return "evalsha";
  }

  @Override
  public boolean expected(byte[] reply) {
    return CheckedLimit.granted(reply, checks, limit == CheckedLimit.GCRA_SPENT ? 0 : requests);
  }

  Keys keys() {
    return keys;
  }
}
