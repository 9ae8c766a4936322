package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Units that are held until a request ends, message by message. */
class HoldIT extends ScriptServer {
  private static final long START = 1_700_000_000_000_000L;
  private static final long LIFE_US = 10_000_000;
  private static final long A = 0x0102030405060708L;
  private static final long B = -2;

  private static final ScriptLimit PACED = ScriptLimit.paced(10, 10, WINDOW_US);
  private static final ScriptLimit RUNNING = ScriptLimit.concurrency(3);

  private final CheckCall call = new CheckCall(8);
  private long nowUs = START;

  /** The reply to the only check, as text: granted, remaining, held, status of the first limit. */
  private String told(CheckReply reply) {
    return reply.granted(0)
        + " granted, "
        + reply.remaining(0)
        + " left, "
        + reply.heldUnits(0)
        + " held, "
        + reply.holdStatus(0, 0);
  }

  private CheckReply at(String... keys) throws IOException {
    return at(nowUs, call, keys);
  }

  private String hold(
      ScriptLimit limit, long holder, long sequence, long requests, long reserve, long... numbers)
      throws IOException {
    call.clear(nowUs).hold(requests, 0, LIFE_US, holder, sequence);
    final boolean isNew = numbers.length == 0;
    call.alsoHeld(limit, reserve, isNew ? 0 : numbers[0], isNew ? 0 : numbers[1], isNew);
    return told(at("{p}a", "{p}a!held"));
  }

  @Test
  void holdsFromTheVerdictToTheEndAndChargesWhatItWas() throws Exception {
    assertEquals("2 granted, 2 left, 8 held, 1", hold(PACED, A, 1, 2, 4));
    assertEquals("0 granted, 2 left, 8 held, 1", hold(PACED, B, 1, 1, 4));
    // The first ended with 1 unit.
    assertEquals("0 granted, 5 left, 4 held, 1", hold(PACED, A, 2, 0, 4, 4, 1));
    assertEquals("1 granted, 1 left, 8 held, 1", hold(PACED, B, 2, 1, 4, 0, 0));
    assertEquals("0 granted, 1 left, 4 held, 1", hold(PACED, A, 3, 0, 4, 0, 5));
    assertEquals("0 granted, 5 left, 0 held, 1", hold(PACED, B, 3, 0, 4, 0, 0));
  }

  @Test
  void holdsOfConcurrencyAreNeverUsed() throws Exception {
    assertEquals("3 granted, 0 left, 3 held, 1", hold(RUNNING, A, 1, 5, 1));
    assertEquals("0 granted, 0 left, 3 held, 1", hold(RUNNING, B, 1, 1, 1));
    assertEquals("0 granted, 1 left, 2 held, 1", hold(RUNNING, A, 2, 0, 1, 2, 0));
    assertEquals("1 granted, 0 left, 3 held, 1", hold(RUNNING, B, 2, 1, 1, 0, 0));
    assertEquals("0", client.text("EXISTS", "{p}a"));
  }

  @Test
  void aMessageThatComesLateOrTwiceChangesNothing() throws Exception {
    hold(PACED, A, 1, 1, 4);
    assertEquals("1 granted, 1 left, 8 held, 1", hold(PACED, A, 3, 1, 4, 4, 1));
    assertEquals("0 granted, 1 left, 8 held, 2", hold(PACED, A, 2, 1, 4, 0, 4));
    assertEquals("0 granted, 1 left, 8 held, 2", hold(PACED, A, 3, 1, 4, 4, 1));
    assertEquals("0 granted, 1 left, 8 held, 2", hold(PACED, A, 1, 1, 4));
  }

  @Test
  void forgetsAHolderWhoseLifeIsOverAndChargesWhatItHeld() throws Exception {
    hold(PACED, A, 1, 1, 4);
    nowUs += LIFE_US;
    assertEquals("0 granted, 6 left, 0 held, 3", hold(PACED, A, 2, 1, 4, 4, 1));
    assertEquals("1 granted, 2 left, 4 held, 1", hold(PACED, B, 1, 1, 4));
    // As if it had been charged when its record expired: in an hour of that, all is back.
    nowUs += 4 * WINDOW_US / 10 - LIFE_US / 2;
    assertEquals("0 granted, 5 left, 0 held, 3", hold(PACED, A, 2, 0, 1, 4, 1));
    assertEquals("1", client.text("HLEN", "{p}a!held"), "no record, and the sum");
  }

  @Test
  void aDebtOfMoreThanTwiceTheCapacityThatIsNoWholeUnitsStaysReadable() throws Exception {
    final ScriptLimit one = ScriptLimit.paced(1, 1, 43);
    hold(one, A, 1, 0, 1);
    hold(one, A, 2, 0, 1, 4, 0);
    nowUs += LIFE_US + 48;
    hold(one, B, 1, 0, 1);
    // 124 ticks of the 172 that lapsed are owed: 124 / 43 * 43 is less, as a double.
    hold(one, B, 2, 0, 1, 0, 1);
    assertEquals("0 granted, 0 left, 0 held, 1", hold(one, B, 3, 0, 1, 0, 1));
    nowUs += 124;
    assertEquals("1 granted, 0 left, 1 held, 1", hold(one, B, 4, 1, 1, 0, 1));
  }

  @Test
  void asksAllLimitsAndTakesNothingIfOneHasNoRoom() throws Exception {
    final String[] keys = {"{p}rpm", "{p}tpm", "{p}run", "{p}tpm!held", "{p}run!held"};
    call.clear(nowUs).hold(5, 0, LIFE_US, A, 1);
    call.also(PACED, 1).alsoHeld(PACED, 2, 0, 0, true).alsoHeld(RUNNING, 1, 0, 0, true);
    CheckReply reply = at(keys);
    assertEquals(3, reply.granted(0));
    assertEquals(2, reply.limitIndex(0));
    assertEquals(0, reply.remaining(0));
    assertEquals(3, reply.heldUnits(0));
    assertEquals(0, reply.retryAfterUs(0), "nobody knows when one ends");
    assertEquals(CheckReply.NOT_HELD, reply.holdStatus(0, 0));
    assertEquals(CheckReply.APPLIED, reply.holdStatus(0, 1));
    call.clear(nowUs).peek(1, 1, PACED);
    assertEquals(7, at("{p}rpm").remaining(0));
    call.clear(nowUs).peek(1, 1, PACED);
    assertEquals(10, at("{p}tpm").remaining(0));
    call.clear(nowUs).peek(1, 1, PACED);
    call.also(RUNNING, 1).withHeld(0).withHeld(1);
    reply = at("{p}tpm", "{p}run", "{p}tpm!held", "{p}run!held");
    assertEquals(0, reply.granted(0));
    assertEquals(3, reply.heldUnits(0));
    call.clear(nowUs).peek(1, 1, PACED);
    call.withHeld(0);
    reply = at("{p}tpm", "{p}tpm!held");
    assertEquals(4, reply.remaining(0));
    assertEquals(6, reply.heldUnits(0));
  }

  @Test
  void keepsAQuarterOfWhatIsFree() throws Exception {
    call.clear(nowUs).hold(1, 9, LIFE_US, A, 1);
    call.alsoHeld(PACED, 1, 0, 0, true);
    final CheckReply reply = at("{p}a", "{p}a!held");
    assertEquals(1, reply.granted(0));
    assertEquals(2, reply.heldKept(0));
    assertEquals(7, reply.remaining(0));
  }

  @Test
  void waitsForUsedUnitsOnlyIfTheyAloneStandInTheWay() throws Exception {
    hold(PACED, A, 1, 1, 8);
    hold(PACED, A, 2, 0, 8, 0, 8);
    call.clear(nowUs).hold(1, 0, LIFE_US, A, 3);
    call.alsoHeld(PACED, 4, 0, 8, false);
    assertEquals(2 * WINDOW_US / 10, at("{p}a", "{p}a!held").retryAfterUs(0));
    call.clear(nowUs).hold(2, 0, LIFE_US, A, 4);
    call.alsoHeld(PACED, 2, 0, 8, false);
    final CheckReply reply = at("{p}a", "{p}a!held");
    assertEquals(1, reply.granted(0));
    assertEquals(0, reply.retryAfterUs(0));
  }

  @Test
  void leavesForeignKeysAlone() throws Exception {
    client.text("SET", "{p}a!held", "theirs");
    call.clear(nowUs).hold(1, 0, LIFE_US, A, 1);
    call.alsoHeld(PACED, 1, 0, 0, true);
    CheckReply reply = at("{p}a", "{p}a!held");
    assertEquals(CheckReply.FOREIGN, reply.status(0));
    assertEquals(1, reply.limitIndex(0));
    assertEquals("theirs", client.text("GET", "{p}a!held"));
    client.text("DEL", "{p}a!held");
    client.text("HSET", "{p}a", "field", "theirs");
    reply = at("{p}a", "{p}a!held");
    assertEquals(CheckReply.FOREIGN, reply.status(0));
    assertEquals(0, reply.limitIndex(0));
    assertEquals("0", client.text("EXISTS", "{p}a!held"));
  }

  @Test
  void aResetLeavesHeldUnitsHeld() throws Exception {
    hold(PACED, A, 1, 1, 4);
    hold(PACED, A, 2, 1, 4, 4, 2);
    call.clear(nowUs).reset(1);
    at("{p}a");
    assertEquals("0 granted, 2 left, 8 held, 1", hold(PACED, A, 3, 0, 4, 8, 2));
  }

  @Test
  void recordsHaveTheSizesThatAreDocumented() throws Exception {
    hold(PACED, A, 1, 1, 4);
    final byte[] id = {8, 7, 6, 5, 4, 3, 2, 1};
    assertEquals("21", client.text("HSTRLEN", "{p}a!held", "s"));
    final byte[] key = "{p}a!held".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    final byte[] record =
        client.send("HGET".getBytes(java.nio.charset.StandardCharsets.UTF_8), key, id);
    assertTrue(record.length == 28, Arrays.toString(record));
  }

  @Test
  void needsNoOtherRightsThanThoseDocumented() throws Exception {
    final String page = Files.readString(Path.of("../docs/fleet.md"));
    final int from = page.indexOf("~rl:* resetchannels");
    final String[] rights = page.substring(from, page.indexOf("```", from)).trim().split("\\s+");
    final List<String> user = new ArrayList<>(List.of("ACL", "SETUSER", "weir", "on", "nopass"));
    user.addAll(List.of(rights));
    client.text(user.toArray(new String[0]));
    client.text("SCRIPT", "LOAD", TIMED);
    client.text("AUTH", "weir", "any");
    final String[] keys = {"rl:{p}a", "rl:{p}a!held"};
    call.clear(nowUs).hold(2, 0, LIFE_US, A, 1);
    call.alsoHeld(PACED, 3, 0, 0, true);
    assertEquals("2 granted, 4 left, 6 held, 1", told(at(keys)));
    nowUs += LIFE_US; // an expired record is looked for, and taken out
    call.clear(nowUs).hold(1, 0, LIFE_US, B, 1);
    call.alsoHeld(PACED, 3, 0, 0, true);
    assertEquals("1 granted, 1 left, 3 held, 1", told(at(keys)));
  }

  @Test
  void takesOutAThousandDeadHoldersInOneCall() throws Exception {
    final int holders = 1_200;
    final ScriptLimit limit = ScriptLimit.fixedWindow(10_000, WINDOW_US, 0);
    for (int holder = 1; holder <= holders; holder++) {
      hold(limit, holder, 1, 2, 3);
    }
    nowUs += LIFE_US;
    call.clear(nowUs).peek(1, 1, limit);
    call.withHeld(0);
    assertEquals(10_000 - 6 * holders, at("{p}a", "{p}a!held").remaining(0));
    assertEquals("1 granted, 2797 left, 3 held, 1", hold(limit, B, 1, 1, 3));
    assertEquals("2", client.text("HLEN", "{p}a!held"), "the sum, and the one that lives");
  }

  @Test
  void holdersWithoutUnitsAreTakenOutToo() throws Exception {
    for (int holder = 1; holder <= 5; holder++) {
      hold(PACED, holder, 1, 1, 2);
      hold(PACED, holder, 2, 0, 2, 0, 0);
    }
    nowUs += ScriptLimit.MAX_LIFE_US;
    hold(PACED, A, 1, 0, 2);
    assertEquals("2", client.text("HLEN", "{p}a!held"));
  }

  @Test
  void aClockThatStepsBackEndsRecordsALifeLaterAtTheLatest() throws Exception {
    nowUs += 100 * WINDOW_US;
    hold(RUNNING, A, 1, 2, 1);
    nowUs = START;
    assertEquals("1 granted, 0 left, 3 held, 1", hold(RUNNING, B, 1, 3, 1));
    nowUs += ScriptLimit.MAX_LIFE_US;
    assertEquals("3 granted, 0 left, 3 held, 1", hold(RUNNING, 7, 1, 3, 1));
  }

  @Test
  void aCheckAndADebtDoNotSeeWhatIsHeld() throws Exception {
    hold(PACED, A, 1, 2, 4);
    call.clear(nowUs).check(20, 1, PACED);
    assertEquals(10, at("{p}a").granted(0), "at most what is held passes on top");
    assertEquals("0 granted, 0 left, 8 held, 1", hold(PACED, B, 1, 1, 1));
  }

  @Test
  void keepsWhatIsHeldForAsLongAsItWouldCount() throws Exception {
    hold(EXPIRING, PACED, 1, 0, 0);
    assertEquals(
        (LIFE_US + WINDOW_US) / 1000, Long.parseLong(client.text("PTTL", "{p}a!held")), 5_000);
    hold(EXPIRING, PACED, 2, 0, 5);
    final long backMs = WINDOW_US / 2 / 1000;
    assertEquals(backMs + WINDOW_US / 1000, Long.parseLong(client.text("PTTL", "{p}a")), 5_000);
    for (long sequence = 3; sequence < 5; sequence++) {
      nowUs += 1_000;
      hold(EXPIRING, RUNNING, sequence, 0, 5);
    }
    assertEquals(
        (LIFE_US + WINDOW_US) / 1000, Long.parseLong(client.text("PTTL", "{p}a!held")), 5_000);
  }

  private void hold(String script, ScriptLimit limit, long sequence, long units, long charged)
      throws IOException {
    call.clear(nowUs).hold(0, 0, LIFE_US, A, sequence);
    call.alsoHeld(limit, 1, units, charged, sequence == 1);
    final String[] keys = {"{p}a", "{p}a!held"};
    final byte[] reply = client.eval(script, Long.toString(nowUs), call, keys);
    assertEquals(CheckReply.APPLIED, reply(reply, call).holdStatus(0, 0));
  }
}
