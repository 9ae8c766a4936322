package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sidecars that know a limit as another kind hold units of it, and see what the others hold. */
class ChangedHoldIT extends ScriptServer {
  private static final long START = 1_700_000_000_000_000L;
  private static final long LIFE_US = 10_000_000;
  private static final long LIMIT = 10;

  private final CheckCall call = new CheckCall(4);
  private long nowUs = START;

  record Change(HoldSpec.Kind from, HoldSpec.Kind to) {}

  static List<Change> changes() {
    final List<Change> changes = new ArrayList<>();
    for (HoldSpec.Kind from : HoldSpec.Kind.values()) {
      for (HoldSpec.Kind to : HoldSpec.Kind.values()) {
        if (from != HoldSpec.Kind.CONCURRENCY && to != HoldSpec.Kind.CONCURRENCY) {
          changes.add(new Change(from, to));
        }
      }
    }
    return changes;
  }

  private static ScriptLimit limit(HoldSpec.Kind kind, long limit) {
    return new HoldSpec(kind, limit, WINDOW_US, kind == HoldSpec.Kind.BUCKET_RING ? 10 : 1)
        .script();
  }

  private CheckReply ask() throws IOException {
    return at(nowUs, call, "{p}a", "{p}a!held");
  }

  private CheckReply hold(
      ScriptLimit limit, long holder, long sequence, long requests, long units, long charged)
      throws IOException {
    call.clear(nowUs).hold(requests, 0, LIFE_US, holder, sequence);
    call.alsoHeld(limit, 2, units, charged, sequence == 1);
    final CheckReply reply = ask();
    assertEquals(CheckReply.APPLIED, reply.holdStatus(0, 0));
    return reply;
  }

  private long left(ScriptLimit limit) throws IOException {
    call.clear(nowUs).peek(1, 1, limit);
    call.withHeld(0);
    return ask().remaining(0);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void whatIsHeldAndSettledCountsUnderEachLimit(Change change) throws Exception {
    final ScriptLimit before = limit(change.from, LIMIT);
    final ScriptLimit after = limit(change.to, LIMIT + 1);
    assertEquals(2, hold(before, 1, 1, 2, 0, 0).granted(0));
    assertEquals(7, left(after), "4 are held");
    assertEquals(6, left(before));
    // The holder of the first version settles 3, and begins another request.
    assertEquals(1, hold(before, 1, 2, 1, 0, 3).granted(0));
    assertEquals(6, left(after), "3 used, 2 held");
    assertEquals(5, left(before));
    // One of the second version holds, settles, and is refused.
    assertEquals(2, hold(after, 2, 1, 2, 0, 0).granted(0));
    assertEquals(1, left(before), "3 used, 6 held");
    assertEquals(1, hold(after, 2, 2, 9, 0, 4).granted(0), "7 used, 2 held by the other");
    assertEquals(0, left(after));
    assertEquals(0, hold(before, 1, 3, 9, 0, 4).granted(0), "8 used, 2 held");
    assertEquals(1, left(after));
    assertEquals(0, left(before));
    // Both die: what is held is charged as of the end of its record, under each limit.
    nowUs += 2 * LIFE_US;
    assertEquals(1, left(after));
    assertEquals(0, left(before));
    assertEquals(0, hold(before, 3, 1, 9, 0, 0).heldUnits(0));
    assertEquals(1, left(after), "10 used");
    assertEquals(0, left(before));
    assertEquals(0, hold(after, 4, 1, 9, 0, 0).granted(0));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aGrantMakesTheValueThatOfItsLimitAndASettleDoesNot(Change change) throws Exception {
    final ScriptLimit before = limit(change.from, LIMIT);
    final ScriptLimit after = limit(change.to, LIMIT);
    hold(before, 1, 1, 1, 0, 0);
    hold(before, 1, 2, 0, 0, 4);
    final String written = client.text("GETRANGE", "{p}a", "0", "0");
    hold(after, 2, 1, 2, 0, 0);
    final String granted = client.text("GETRANGE", "{p}a", "0", "0");
    assertEquals(change.from == change.to, written.equals(granted));
    assertEquals(1, hold(before, 1, 3, 0, 0, 5).remaining(0), "5 used and 4 held");
    assertEquals(granted, client.text("GETRANGE", "{p}a", "0", "0"));
  }
}
