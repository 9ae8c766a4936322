package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.store.CheckTraffic.Script;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import dev.weir.scripts.server.RedisBinary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is compared with the shipped script has to be a rate limit too. */
class ScriptIT {
  private static final long HOUR_US = TimeUnit.HOURS.toMicros(1);

  private static RedisServer server;

  @BeforeAll
  static void start() throws IOException {
    // The oldest that is supported, so that no command is younger.
    server = new RedisServer(RedisBinary.embedded(), Cores.UNPINNED);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void empty() throws IOException {
    server.empty();
  }

  /** One request of one identity. */
  private static CheckReply ask(Script script, ScriptLimit limit) throws IOException {
    final CheckCall call = new CheckCall(1);
    call.check(1, 1, limit);
    final byte[] argument = Arrays.copyOf(call.array(), call.length());
    final Commands commands = new Commands(1024);
    final String sha1 = server.load(script.source());
    commands.command(5).part("EVALSHA").part(sha1).part("1").part("user:u1").part(argument);
    final byte[] reply = server.control().send(commands.copy(0));
    return new CheckReply().wrap(ByteBuffer.wrap(reply), 1);
  }

  @ParameterizedTest
  @EnumSource
  void grantsTheCapacityAndNoMore(Script script) throws IOException {
    final ScriptLimit limit = ScriptLimit.paced(5, 5, HOUR_US);
    for (int i = 1; i <= 5; i++) {
      final CheckReply reply = ask(script, limit);
      assertEquals(CheckReply.GRANTED, reply.status(0));
      assertEquals(5 - i, reply.remaining(0));
    }
    final CheckReply refused = ask(script, limit);
    assertEquals(CheckReply.REFUSED, refused.status(0));
    assertEquals(refused.nowUs() + HOUR_US, refused.resetAtUs(0), HOUR_US / 2.0);
    assertTrue(refused.retryAfterUs(0) > 0 && refused.retryAfterUs(0) <= HOUR_US / 5);
  }
}
