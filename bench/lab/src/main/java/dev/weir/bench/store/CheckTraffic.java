package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.store.CheckTraffic.Script;
import dev.weir.scripts.LuaScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
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
  final Keys keys;
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
    this.keys = Keys.of(limit.algorithm, keyCount);
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
  void load(Commands commands) {
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

  final void head(Commands commands, int number) {
    commands.command(4 + number).part("EVALSHA").part(sha1).part(Integer.toString(number));
  }

  /** Decided requests per command. */
  final double decisionsPerCommand() {
    return (double) checks * requests;
  }

  /** Whether a reply to the first command of {@link #load} is the one that is to be measured. */
  boolean expected(byte[] reply) {
    return CheckedLimit.granted(reply, checks, limit == CheckedLimit.GCRA_SPENT ? 0 : requests);
  }

  /** The scripts that are measured. */
  enum Script {
    /** The shipped one. */
    CHECK,

    /** GCRA and nothing else: the least that a script of one algorithm takes. */
    GCRA_ALONE;

    byte[] source() {
      if (this == CHECK) {
        return LuaScript.CHECK.source();
      }
      try (InputStream in = Script.class.getResourceAsStream("/experiments/gcra.lua")) {
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Names as the product gives them, all of one length and of one partition. */
  static final class Keys {
    private final byte[][] names;

    /**
     * @param format with one place for the number of an identity.
     */
    Keys(String format, int count) {
      names = new byte[count][];
      for (int i = 0; i < count; i++) {
        names[i] = String.format(Locale.ROOT, format, i).getBytes(StandardCharsets.US_ASCII);
      }
    }

    static Keys of(String algorithm, int count) {
      return new Keys("rl:{p042}:" + algorithm + ":user:u%06d:bench", count);
    }

    int count() {
      return names.length;
    }

    byte[] name(int index) {
      return names[index];
    }

    /** Any of them, all equally likely. */
    byte[] any(Random random) {
      return names[random.nextInt(names.length)];
    }
  }

  /** Logs that hold about a hundred entries, whatever the speed of the server. */
  static final class LogTraffic extends CheckTraffic {
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
      for (int i = 1; i < keys.count(); i++) {
        commands.command(3).part("COPY").part(keys.name(0)).part(keys.name(i));
      }
    }
  }
}
