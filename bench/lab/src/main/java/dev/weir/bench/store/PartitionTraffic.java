package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.util.Random;

/** The experiment with a hash per partition and generation: a batch is of one partition. */
final class PartitionTraffic implements Traffic {
  static final int PARTITIONS = 16;

  private static final int FILL_BATCH = 250;
  private static final int GENERATIONS = 3;

  private final CheckedLimit limit = CheckedLimit.GCRA;
  private final Keys[] fields = new Keys[PARTITIONS];
  private final int checks;
  private String sha1;

  PartitionTraffic(int keyCount, int checks) {
    this.checks = checks;
    for (int i = 0; i < PARTITIONS; i++) {
      fields[i] = new Keys("user:u" + i % 10 + "%05d", Math.max(1, keyCount / PARTITIONS));
    }
  }

  @Override
  public void begin(RedisServer server) throws IOException {
    sha1 = server.load(Script.GENERATIONS.source());
  }

  @Override
  public void fill(Commands commands) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      final Keys keys = fields[partition];
      for (int first = 0; first < keys.count(); first += FILL_BATCH) {
        final int number = Math.min(FILL_BATCH, keys.count() - first);
        head(commands, partition, number, limit.argument(number, 1));
        for (int i = 0; i < number; i++) {
          commands.part(keys.name(first + i));
        }
      }
    }
  }

  @Override
  public void load(Commands commands) {
    final Random random = new Random(SEED);
    final byte[] argument = limit.argument(checks, 1);
    for (int sent = 0; sent < DECISIONS; sent += checks) {
      final int partition = random.nextInt(PARTITIONS);
      head(commands, partition, checks, argument);
      for (int i = 0; i < checks; i++) {
        commands.part(fields[partition].any(random));
      }
    }
  }

  private void head(Commands commands, int partition, int number, byte[] argument) {
    commands.command(3 + GENERATIONS + 1 + number);
    commands.part("EVALSHA").part(sha1).part(Integer.toString(GENERATIONS));
    for (int generation = 0; generation < GENERATIONS; generation++) {
      commands.part("rl:{p" + (100 + partition) + "}:gcra:bench:" + generation);
    }
    commands.part(argument);
  }

  @Override
  public double decisionsPerCommand() {
    return checks;
  }

  @Override
  public String statistic() {
    return "evalsha";
  }

  @Override
  public boolean expected(byte[] reply) {
    return CheckedLimit.granted(reply, checks, 1);
  }
}
