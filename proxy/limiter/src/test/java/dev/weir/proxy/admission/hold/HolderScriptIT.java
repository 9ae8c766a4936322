package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.ScriptLimit;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The traces of {@link HolderModelTest} on the script in a real server, which has to say what the
 * model says.
 */
class HolderScriptIT extends HolderModelTest {
  private static RedisServer redis;
  private static RespClient client;
  private static byte[] digest;
  private static int names;

  @BeforeAll
  static void start() throws Exception {
    redis = RedisKind.EMBEDDED.start();
    client = redis.connect();
    String clock;
    try (InputStream in = LuaScript.class.getResourceAsStream("/lua/clock.lua")) {
      clock = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String timed =
        new String(LuaScript.CHECK.source(), StandardCharsets.UTF_8)
            .replace(
                clock,
                "local now = tonumber(ARGV[2])\nlocal function format() return '3600000' end\n");
    digest = RespClient.bytes(client.text("SCRIPT", "LOAD", timed));
  }

  @AfterAll
  static void stop() throws IOException {
    client.close();
    redis.close();
  }

  @Override
  int traces() {
    return Integer.getInteger("weir.holder.script.traces", 60);
  }

  @Override
  ModelHoldStore store(long capacity, long windowNs) {
    return new ScriptStore(capacity, windowNs);
  }

  /** The model, whose answers must be those of the script. */
  private static final class ScriptStore extends ModelHoldStore {
    private final CheckCall call = new CheckCall(2);
    private final CheckReply reply = new CheckReply();
    private final ScriptLimit limit;
    private final String key = "{p}" + names++;

    ScriptStore(long capacity, long windowNs) {
      super(capacity, windowNs);
      limit = ScriptLimit.slidingLog(capacity, windowNs / 1_000);
    }

    @Override
    ModelHoldStore copy() {
      ScriptStore copy = new ScriptStore(capacity, windowNs);
      copyTo(copy);
      try {
        client.text("COPY", key, copy.key);
        client.text("COPY", key + "!held", copy.key + "!held");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return copy;
    }

    @Override
    Reply apply(HoldMessage message, long reserve, long nowNs) {
      Reply expected = super.apply(message, reserve, nowNs);
      long lifeUs = Holder.LIFE_NS / 1_000;
      call.clear()
          .hold(message.requests(), message.keep(), lifeUs, message.id(), message.sequence());
      call.alsoHeld(limit, reserve, message.held(0), message.charged(0), message.mayBeNew());
      reply.wrap(ByteBuffer.wrap(eval(nowNs / 1_000)), 1, 0, 1);
      assertEquals(expected.applied().ordinal(), reply.holdStatus(0, 0));
      assertEquals(expected.granted(), reply.granted(0));
      assertEquals(expected.kept(), reply.heldKept(0));
      assertEquals(held(), reply.heldUnits(0));
      return expected;
    }

    private byte[] eval(long nowUs) {
      try {
        return (byte[])
            client.call(
                RespClient.bytes("EVALSHA"),
                digest,
                RespClient.bytes("2"),
                RespClient.bytes(key),
                RespClient.bytes(key + "!held"),
                Arrays.copyOf(call.array(), call.length()),
                RespClient.bytes(Long.toString(nowUs)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
