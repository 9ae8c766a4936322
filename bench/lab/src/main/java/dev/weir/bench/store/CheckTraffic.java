package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.util.Random;

/**
 * The commands of a variant: calls of a script that decides batches, the shipped one or a peer with
 * its encoding.
 */
class CheckTraffic {
  /** The first random number of every variant. */
  static final long SEED = 7;

  /** Decisions whose commands are encoded ahead; sent again from the first. */
  private static final int DECISIONS = 1 << 17;

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

  /** Loads the script; called once per server, before anything else. */
  final void begin(RedisServer server) throws IOException {
    sha1 = server.load(script.source());
  }

  /** Puts into an empty server whatever must be there before the commands of {@link #fill}. */
  void prepare(RedisServer server) throws IOException {}

  /** Appends commands that bring every key into the state that is measured, each sent once. */
  void fill(Commands commands) {
    for (int first = 0; first < keys.count(); first += FILL_BATCH) {
      final int number = Math.min(FILL_BATCH, keys.count() - first);
      head(commands, number);
      for (int i = 0; i < number; i++) {
        commands.part(keys.name(first + i));
      }
      commands.part(limit.argument(number, 1));
    }
  }

  /** Appends the commands that are measured. */
  final void load(Commands commands) {
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

  /** Decided requests per command. */
  final double decisionsPerCommand() {
    return (double) checks * requests;
  }

  /** Whether a reply to the first command of {@link #load} is the one that is to be measured. */
  final boolean expected(byte[] reply) {
    return CheckedLimit.granted(reply, checks, limit == CheckedLimit.GCRA_SPENT ? 0 : requests);
  }

  final Keys keys() {
    return keys;
  }
}
