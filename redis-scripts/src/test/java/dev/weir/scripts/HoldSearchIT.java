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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The search on the script; {@code bench/scripts/holds} makes a longer one. */
class HoldSearchIT extends ScriptServer {
  private static final int TRACES = Integer.getInteger("weir.hold.traces", 300);
  private static final long SEED = Long.getLong("weir.hold.seed", 7);

  /** The most traces until a fault that was made on purpose is found. */
  private static final int MANY = 20_000;

  private int name;

  /** The script, whose answers must be those of the definition. */
  private final class Compared implements HoldSearch.Store {
    private final List<HoldSpec> specs;
    private final HoldDefinition definition;
    private final String script;
    private final ScriptLimit[] limits;
    private final List<String> keys = new ArrayList<>();
    private final CheckCall call = new CheckCall(16);

    Compared(List<HoldSpec> specs, String script) throws IOException {
      this.specs = specs;
      this.script = script;
      definition = new HoldDefinition(specs);
      limits = specs.stream().map(HoldSpec::script).toArray(ScriptLimit[]::new);
      if (++name % 1_000 == 0) {
        client.text("FLUSHALL");
      }
      for (int i = 0; i < limits.length; i++) {
        keys.add("{p}" + name + ":" + i);
      }
    }

    private CheckReply reply(boolean[] holds, long nowUs) throws IOException {
      final List<String> all = new ArrayList<>(keys);
      for (int i = 0; i < limits.length; i++) {
        if (holds[i]) {
          all.add(keys.get(i) + "!held");
        }
      }
      final String[] sent = all.toArray(new String[0]);
      return ScriptServer.reply(client.eval(script, Long.toString(nowUs), call, sent), call);
    }

    @Override
    public Answer ask(Message message, long nowUs) throws IOException {
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
      final Answer expected = definition.ask(message, nowUs);
      final List<Integer> became = new ArrayList<>();
      for (int i = 0; i < limits.length; i++) {
        became.add(reply.holdStatus(0, i));
      }
      final int told = reply.limitIndex(0);
      final List<Long> least = new ArrayList<>(expected.least());
      final List<Long> held = new ArrayList<>(expected.held());
      least.set(told, reply.remaining(0));
      held.set(told, message.holds()[told] ? reply.heldUnits(0) : 0);
      expected.held().set(told, message.holds()[told] ? expected.held().get(told) : 0);
      final Answer answer = new Answer(reply.granted(0), reply.heldKept(0), became, least, held);
      assertEquals(expected, answer, () -> specs + ": " + message);
      retry(reply, message, told, nowUs);
      return answer;
    }

    /** A wait says when what is used alone lets the next request pass, and not before. */
    private void retry(CheckReply reply, Message message, int told, long nowUs) {
      final long retryUs = reply.retryAfterUs(0);
      final long room = specs.get(told).limit() - message.reserves()[told];
      if (reply.granted(0) == message.requests() || room < 0) {
        assertEquals(reply.granted(0) == message.requests() ? 0 : -1, retryUs);
      } else if (retryUs > 0) {
        assertTrue(definition.used(told, nowUs + retryUs) <= room, () -> specs + " " + retryUs);
        assertTrue(definition.used(told, nowUs + retryUs - 1) > room, () -> specs + " " + retryUs);
      }
    }

    @Override
    public List<Long> peek(long nowUs) throws IOException {
      final List<Long> left = new ArrayList<>();
      final boolean[] one = new boolean[1];
      for (int i = 0; i < limits.length; i++) {
        call.clear(nowUs).peek(1, 1, limits[i]);
        call.withHeld(0);
        one[0] = true;
        final String[] sent = {keys.get(i), keys.get(i) + "!held"};
        final byte[] bytes = client.eval(script, Long.toString(nowUs), call, sent);
        left.add(ScriptServer.reply(bytes, call).remaining(0));
      }
      return left;
    }
  }

  private HoldSearch search(String script, Breach... breaches) {
    return new HoldSearch(
        specs -> {
          try {
            return new Compared(specs, script);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        },
        breaches);
  }

  @ParameterizedTest
  @EnumSource
  void noTraceIsOverItsLimitAndTheAnswersAreThoseOfTheDefinition(HoldSpec.Kind kind)
      throws IOException {
    final int traces = randomSteps(TRACES);
    final HoldSearch search = search(TIMED);
    assertNull(search.search(kind, SEED, traces));
    final String told =
        search.granted() + " granted, " + search.late() + " late, " + search.expired() + " expired";
    assertTrue(
        search.granted() > traces && search.late() > traces / 10 && search.expired() > traces / 20,
        told);
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheScriptThatIsBroken(BrokenHold broken) throws IOException {
    onOneServer();
    assertNotNull(found(search(broken.of(TIMED)), broken.kind()), broken.name());
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheHoldersThatIsBroken(Breach breach) throws IOException {
    onOneServer();
    assertNotNull(found(search(TIMED, breach), HoldSpec.Kind.SLIDING_LOG), breach.name());
  }

  private void onOneServer() {
    Assumptions.assumeTrue(redisKind == RedisKind.EMBEDDED, "the script is the same on the other");
  }

  /** A trace that is over, or an answer that is not that of the definition; null if none is. */
  private static String found(HoldSearch search, HoldSpec.Kind kind) throws IOException {
    try {
      return search.search(kind, SEED, MANY);
    } catch (AssertionError differs) {
      assertFalse(differs.getMessage().contains("-ERR"), differs.getMessage());
      return differs.getMessage();
    }
  }
}
