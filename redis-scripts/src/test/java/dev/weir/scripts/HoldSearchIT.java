package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.HoldDefinition.Answer;
import dev.weir.scripts.HoldDefinition.Message;
import dev.weir.scripts.HoldSearch.Breach;
import dev.weir.scripts.server.RedisKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The search on the script; {@code bench/scripts/holds} makes a longer one. */
class HoldSearchIT extends ScriptServer {
  private static final int USUAL_TRACES = 300;
  private static final int TRACES = Integer.getInteger("weir.hold.traces", USUAL_TRACES);
  private static final long SEED = Long.getLong("weir.hold.seed", 7);

  /** The most traces until a fault that was made on purpose is found. */
  private static final int MANY = 20_000;

  /** Seeds by which the rarest faults are found within 60 traces, not in thousands. */
  private static final Map<Enum<?>, Long> SOON =
      Map.of(
          BrokenHold.PACED_OWES_NO_MORE_THAN_TWICE, 22L,
          BrokenHold.SEES_NOTHING_OF_ANOTHER_PLAN, 47L,
          HoldSearch.Breach.USES_A_LATE_ANSWER, 130L,
          HoldSearch.Breach.SAYS_RELATIVE_NUMBERS, 43L,
          HoldSearch.Breach.FORGETS_WHAT_RUNS_UNDER_ANOTHER_PLAN, 15L);

  private int name;

  /** The script, whose answers must be those of the definition. */
  private final class Compared implements HoldSearch.Store {
    private final List<List<HoldSpec>> plans;
    private final HoldDefinition definition;

    /** Whether the definition knows what a change of plan means for the limits. */
    private final boolean isDefined;

    private final String script;

    /** The limits by plan. */
    private final List<ScriptLimit[]> limitsOf = new ArrayList<>();

    private final List<String> keys = new ArrayList<>();
    private final CheckCall call = new CheckCall(16);

    Compared(List<List<HoldSpec>> plans, String script) throws IOException {
      this.plans = plans;
      this.script = script;
      definition = new HoldDefinition(plans);
      isDefined = plans.size() == 1 || plans.get(0).get(0).kind() != HoldSpec.Kind.PACED;
      for (List<HoldSpec> specs : plans) {
        limitsOf.add(specs.stream().map(HoldSpec::script).toArray(ScriptLimit[]::new));
      }
      if (++name % 1_000 == 0) {
        client.text("FLUSHALL");
      }
      for (int i = 0; i < plans.get(0).size(); i++) {
        keys.add("{p}" + name + ":" + i);
      }
    }

    private CheckReply reply(boolean[] holds, long nowUs) throws IOException {
      final List<String> all = new ArrayList<>(keys);
      for (int i = 0; i < holds.length; i++) {
        if (holds[i]) {
          all.add(keys.get(i) + "!held");
        }
      }
      final String[] sent = all.toArray(new String[0]);
      return ScriptServer.reply(client.eval(script, Long.toString(nowUs), call, sent), call);
    }

    @Override
    public Answer ask(Message message, long nowUs) throws IOException {
      final ScriptLimit[] limits = limitsOf.get(message.plan());
      call.clear(nowUs)
          .hold(
              message.requests(),
              message.keep(),
              message.lifeUs(),
              message.holder(),
              message.sequence());
      for (int i = 0; i < limits.length; i++) {
        if (message.holds()[i]) {
          call.alsoHeld(
              limits[i],
              message.reserves()[i],
              message.units()[i],
              message.charged()[i],
              message.isNew());
        } else {
          call.also(limits[i], message.reserves()[i]);
        }
      }
      final CheckReply reply = reply(message.holds(), nowUs);
      final List<Integer> became = new ArrayList<>();
      for (int i = 0; i < limits.length; i++) {
        became.add(reply.holdStatus(0, i));
      }
      if (!isDefined) {
        return new Answer(reply.granted(0), reply.heldKept(0), became, List.of(), List.of());
      }
      final Answer expected = definition.ask(message, nowUs);
      final int told = reply.limitIndex(0);
      final List<Long> least = new ArrayList<>(expected.least());
      final List<Long> held = new ArrayList<>(expected.held());
      least.set(told, reply.remaining(0));
      held.set(told, message.holds()[told] ? reply.heldUnits(0) : 0);
      expected.held().set(told, message.holds()[told] ? expected.held().get(told) : 0);
      final Answer answer = new Answer(reply.granted(0), reply.heldKept(0), became, least, held);
      assertEquals(expected, answer, () -> plans + ": " + message);
      retry(reply, message, told, nowUs);
      return answer;
    }

    /** A wait says when what is used alone lets the next request pass, and not before. */
    private void retry(CheckReply reply, Message message, int told, long nowUs) {
      final long retryUs = reply.retryAfterUs(0);
      final long room = plans.get(message.plan()).get(told).limit() - message.reserves()[told];
      if (reply.granted(0) == message.requests() || room < 0) {
        assertEquals(reply.granted(0) == message.requests() ? 0 : -1, retryUs);
      } else if (retryUs > 0) {
        assertTrue(definition.used(told, nowUs + retryUs) <= room, () -> plans + " " + retryUs);
        assertTrue(definition.used(told, nowUs + retryUs - 1) > room, () -> plans + " " + retryUs);
      }
    }

    @Override
    public List<Long> peek(long nowUs) throws IOException {
      final List<Long> left = new ArrayList<>();
      for (int i = 0; i < keys.size(); i++) {
        call.clear(nowUs).peek(1, 1, limitsOf.get(0)[i]);
        call.withHeld(0);
        final String[] sent = {keys.get(i), keys.get(i) + "!held"};
        final byte[] bytes = client.eval(script, Long.toString(nowUs), call, sent);
        left.add(ScriptServer.reply(bytes, call).remaining(0));
      }
      return left;
    }
  }

  private HoldSearch search(String script, int plans, Breach... breaches) {
    return new HoldSearch(
        of -> {
          try {
            return new Compared(of, script);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        },
        plans,
        breaches);
  }

  @ParameterizedTest
  @EnumSource
  void noTraceIsOverItsLimitAndTheAnswersAreThoseOfTheDefinition(HoldSpec.Kind kind)
      throws IOException {
    final int traces = randomSteps(TRACES);
    final HoldSearch search = search(TIMED, 1);
    assertNull(search.search(kind, SEED, traces));
    final String told =
        ("%s, %s: %,d traces, %,d messages, %,d late, %,d granted, %,d records expired")
            .formatted(
                redisKind,
                kind,
                traces,
                search.messages(),
                search.late(),
                search.granted(),
                search.expired());
    if (traces > USUAL_TRACES) {
      System.out.println(told);
    }
    assertTrue(
        search.granted() > traces && search.late() > traces / 10 && search.expired() > traces / 20,
        told);
  }

  @ParameterizedTest
  @EnumSource
  void noWindowHasMoreThanTheLargestPlanAllowsWhileUnitsAreHeld(HoldSpec.Kind kind)
      throws IOException {
    final int traces = randomSteps(TRACES);
    final HoldSearch search = search(TIMED, HoldSearch.PLANS);
    assertNull(search.search(kind, SEED, traces));
    assertTrue(
        search.granted() > traces && search.changes() > traces, search.granted() + " granted");
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheScriptThatIsBroken(BrokenHold broken) throws IOException {
    onOneServer();
    assertNotNull(
        found(search(broken.of(TIMED), broken.plans()), broken.kind(), broken), broken.name());
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheHoldersThatIsBroken(Breach breach) throws IOException {
    onOneServer();
    assertNotNull(
        found(search(TIMED, breach.plans(), breach), HoldSpec.Kind.SLIDING_LOG, breach),
        breach.name());
  }

  private void onOneServer() {
    Assumptions.assumeTrue(redisKind == RedisKind.EMBEDDED, "the script is the same on the other");
  }

  /** A trace that is over, or an answer that is not that of the definition; null if none is. */
  private static String found(HoldSearch search, HoldSpec.Kind kind, Enum<?> fault)
      throws IOException {
    try {
      return search.search(kind, SOON.getOrDefault(fault, SEED), MANY);
    } catch (AssertionError differs) {
      assertFalse(differs.getMessage().contains("-ERR"), differs.getMessage());
      return differs.getMessage();
    }
  }
}
