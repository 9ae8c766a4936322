package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.ScriptLimit;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A trial run of the script on a server, with a key of its own that is charged and reset. It runs
 * all commands that plain checks use, so a missing permission shows before a request depends on it.
 * Those that only bans and holds use are not tried, as most rules have neither.
 */
final class ScriptTrial {
  /** The commands that an ACL user must be allowed. */
  private static final String COMMANDS = "EVALSHA with TIME, MGET, EXISTS, SET and DEL";

  private ScriptTrial() {}

  /**
   * Loads the script and runs it.
   *
   * @param partition of the server; negative if it has none.
   * @return the server's time, in microseconds; 0 if it was not asked. A fault says which command
   *     failed.
   */
  static CompletionStage<Long> loadAndRun(
      RedisAsyncCommands<byte[], byte[]> commands, int partition) {
    return named("SCRIPT LOAD", load(commands))
        .thenCompose(digest -> named(COMMANDS, run(commands, partition)));
  }

  static CompletionStage<String> load(RedisAsyncCommands<byte[], byte[]> commands) {
    return commands.scriptLoad(LuaScript.CHECK.source());
  }

  private static <T> CompletionStage<T> named(String command, CompletionStage<T> call) {
    return call.exceptionally(
        fault -> {
          throw new CompletionException(
              new IllegalStateException(command + ": " + StoreCalls.cause(fault)));
        });
  }

  /** Runs a script that is loaded; see {@link #loadAndRun}. */
  static CompletionStage<Long> run(RedisAsyncCommands<byte[], byte[]> commands, int partition) {
    if (partition < 0) {
      return CompletableFuture.completedFuture(0L); // no key of ours belongs there yet
    }
    CheckCall call = new CheckCall(2);
    call.check(1, 1, ScriptLimit.paced(1, 1, 1_000));
    call.reset(1);
    byte[] key = WarmUp.trialKey(partition);
    CompletionStage<byte[]> answered =
        commands.<byte[]>evalsha(
            LuaScript.CHECK.sha1(),
            ScriptOutputType.VALUE,
            new byte[][] {key, key},
            Arrays.copyOf(call.array(), call.length()));
    return answered.handle(ScriptTrial::serverTimeUs);
  }

  private static Long serverTimeUs(byte[] answer, Throwable fault) {
    if (fault != null && !isRedirection(fault)) {
      throw new CompletionException(fault);
    }
    if (fault != null) {
      return 0L;
    }
    if (answer.length != CheckReply.length(2)) {
      throw new IllegalStateException("the script's answer is no decision");
    }
    return new CheckReply().wrap(ByteBuffer.wrap(answer), 2).nowUs();
  }

  /** Whether the server only says that the partition is being moved: it is healthy. */
  private static boolean isRedirection(Throwable fault) {
    return ErrorReply.of(StoreCalls.cause(fault)).remedy() == ErrorReply.Remedy.FOLLOW;
  }
}
