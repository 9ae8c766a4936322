package dev.weir.bench.store;

import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Messages of holders. The script knows one that comes again, so each is later than all before it:
 * {@link Commands#renew} numbers them anew.
 */
final class HoldTraffic extends CheckTraffic {
  /** The purpose of a message. */
  enum Kind {
    /** Asks for one request, of a holder that has held one and released it. */
    HOLD,

    /** Charges what requests have cost, and asks for none. */
    SETTLE,

    /** Asks for a new holder, and finds that the one before it is dead, among a thousand others. */
    SWEEP
  }

  /** Operations of a call, as a sidecar batches them. */
  static final int BATCH = 16;

  static final ScriptLimit GCRA = ScriptLimit.paced(1L << 40, 1_000_000, 1_000_000);
  static final ScriptLimit CONCURRENCY = ScriptLimit.concurrency(1L << 20);

  /** Holders of the key beside the dead one. */
  private static final int LIVING = 1_000;

  private static final int MOST_KEYS = 20_000;
  private static final int COMMANDS = 1 << 13;
  private static final int FILL_BATCH = 250;
  private static final long LIFE_US = ScriptLimit.MAX_LIFE_US;
  private static final long HOLDER = 7;
  private static final byte[] SUFFIX = "!held".getBytes(StandardCharsets.US_ASCII);

  private final Kind kind;
  private final ScriptLimit limit;
  private final int checks;
  private final CheckCall call = new CheckCall(2 * FILL_BATCH);
  private final int[] places = new int[COMMANDS];

  /** The number of the last message, and of a holder that has sent one only. */
  private long last;

  HoldTraffic(Kind kind, ScriptLimit limit, int keyCount) {
    super(
        Script.CHECK,
        CheckedLimit.GCRA_HOT,
        kind == Kind.SWEEP ? 1 : Math.min(keyCount, MOST_KEYS),
        kind == Kind.SWEEP ? 1 : BATCH,
        1);
    this.kind = kind;
    this.limit = limit;
    this.checks = kind == Kind.SWEEP ? 1 : BATCH;
  }

  @Override
  void fill(Commands commands) {
    last = 1;
    if (kind == Kind.SWEEP) {
      for (int holder = 1; holder <= LIVING; holder++) {
        call.clear().hold(1, 0, LIFE_US, -holder, 1);
        call.alsoHeld(limit, 1, 0, 0, true);
        begin(commands, 1);
        key(commands, keys.name(0));
        commands.part(call.array(), call.length());
      }
      return;
    }
    for (int first = 0; first < keys.count(); first += FILL_BATCH) {
      final int number = Math.min(FILL_BATCH, keys.count() - first);
      begin(commands, number);
      call.clear();
      for (int i = 0; i < number; i++) {
        key(commands, keys.name(first + i));
        call.hold(1, 0, LIFE_US, HOLDER, 1);
        call.alsoHeld(limit, 1, 0, 0, true);
      }
      commands.part(call.array(), call.length());
    }
  }

  @Override
  void load(Commands commands) {
    final Random random = new Random(SEED);
    for (int command = 0; command < COMMANDS; command++) {
      begin(commands, checks);
      for (int i = 0; i < checks; i++) {
        key(commands, keys.any(random));
      }
      encode();
      places[command] = commands.part(call.array(), call.length());
    }
    commands.renewedBy(
        () -> {
          for (int place : places) {
            encode();
            commands.replace(place, call.array(), call.length());
          }
        });
  }

  private void begin(Commands commands, int number) {
    head(commands, 2 * number);
  }

  private static void key(Commands commands, byte[] name) {
    final byte[] held = new byte[name.length + SUFFIX.length];
    System.arraycopy(name, 0, held, 0, name.length);
    System.arraycopy(SUFFIX, 0, held, name.length, SUFFIX.length);
    commands.part(name).part(held);
  }

  /** Encodes the next call. */
  private void encode() {
    call.clear();
    for (int i = 0; i < checks; i++) {
      last++;
      switch (kind) {
        case HOLD -> {
          call.hold(1, 0, LIFE_US, HOLDER, last);
          call.alsoHeld(limit, 1, 1, 0, false);
        }
        case SETTLE -> {
          call.hold(0, 0, LIFE_US, HOLDER, last);
          call.alsoHeld(limit, 1, 0, last, false);
        }
        case SWEEP -> {
          call.hold(1, 0, 1, last, 1);
          call.alsoHeld(limit, 1, 0, 0, true);
        }
      }
    }
  }

  @Override
  boolean expected(byte[] reply) {
    if (reply == null || reply.length != CheckReply.length(checks, 0, checks)) {
      return false;
    }
    final CheckReply decisions = new CheckReply().wrap(ByteBuffer.wrap(reply), checks, 0, checks);
    for (int i = 0; i < checks; i++) {
      if (decisions.holdStatus(i, 0) != CheckReply.APPLIED
          || decisions.granted(i) != (kind == Kind.SETTLE ? 0 : 1)) {
        return false;
      }
    }
    return true;
  }
}
