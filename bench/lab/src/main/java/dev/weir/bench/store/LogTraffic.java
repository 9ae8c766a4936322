package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;

/** Logs that hold about a hundred entries, whatever the speed of the server. */
final class LogTraffic extends CheckTraffic {
  /** Few enough to be filled, enough for a log to gain only some ten entries per measurement. */
  private static final int MAX_KEYS = 20_000;

  private static final int ENTRIES = 95;
  private static final int MAX_BYTES_OF_ONE = 1024;

  LogTraffic(int keyCount, int checks) {
    super(Script.CHECK, CheckedLimit.SLIDING_LOG, Math.min(keyCount, MAX_KEYS), checks, 1);
  }

  @Override
  void prepare(RedisServer server) throws IOException {
    final CheckTraffic filler = new CheckTraffic(Script.CHECK, CheckedLimit.SLIDING_LOG, 1, 1, 1);
    filler.begin(server);
    final Commands one = new Commands(MAX_BYTES_OF_ONE);
    filler.fill(one);
    // Entries of one microsecond would be one: a call at a time is slower than that.
    for (int i = 0; i < ENTRIES; i++) {
      server.control().send(one.copy(0));
    }
  }

  @Override
  void fill(Commands commands) {
    for (int i = 1; i < keys().count(); i++) {
      commands.command(3).part("COPY").part(keys().name(0)).part(keys().name(i));
    }
  }
}
