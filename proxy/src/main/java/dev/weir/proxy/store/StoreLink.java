package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.ScriptLimit;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One event loop's connection to one server. It is ready when the script is loaded and a trial of
 * it has run, so a missing permission shows before a request depends on it. A connection that is
 * lost, or that has not answered for {@link #HANG_NS}, is closed and opened anew, after a pause
 * that grows and is never the same on two sidecars. An event loop that was held up itself, as on a
 * machine that stood still, reads what came meanwhile before it judges. Nothing is sent twice.
 */
final class StoreLink extends Deadlines.Waiter {
  /** A call without an answer for so long means that the connection is of no use. */
  static final long HANG_NS = 1_000_000_000;

  /** So long may it take to connect and to try the script, beyond what Lettuce allows for TCP. */
  private static final long OPEN_NS = 3_000_000_000L;

  /** So many deadlines in a row may pass without an answer before nobody waits any longer. */
  private static final int PATIENCE = 4;

  private static final long FIRST_PAUSE_NS = 50_000_000;
  private static final long LAST_PAUSE_NS = 2_000_000_000;
  private static final long LOOK_NS = 100_000_000;

  /** Looks that are so far apart tell of this event loop, and not of the server. */
  private static final long HELD_UP_NS = HANG_NS / 2;

  /** What the user of an ACL must be allowed to. */
  private static final String TRIAL = "EVALSHA with TIME, MGET, EXISTS, SET and DEL";

  private enum State {
    PAUSED,
    CONNECTING,
    READY,
    CLOSED
  }

  private final LoopStore store;
  private final StoreObserver observer;
  private final SocketAddress address;
  private final String name;
  private final Breaker breaker;
  private final ServerTime serverTime = new ServerTime();
  private StatefulRedisConnection<byte[], byte[]> connection;

  /** Connected, but the script has not been tried yet. */
  private StatefulRedisConnection<byte[], byte[]> opening;

  /** Redirected here before the connection was there: few, as the shards know better soon. */
  private final ArrayDeque<Batch> waiting = new ArrayDeque<>();

  private int attempts;
  private State state = State.PAUSED;
  private long pauseNs = FIRST_PAUSE_NS;
  private int calls;
  private long lastProgressNs;
  private long lastLookNs;

  StoreLink(LoopStore store, SocketAddress address) {
    this.store = store;
    this.observer = store.observer();
    this.address = address;
    this.name = StoreNode.text(address);
    this.breaker = new Breaker(PATIENCE * store.deadlineNs());
  }

  String name() {
    return name;
  }

  SocketAddress address() {
    return address;
  }

  boolean isReady() {
    return state == State.READY;
  }

  Breaker breaker() {
    return breaker;
  }

  /** What the server's clock said, by its last answer. */
  ServerTime serverTime() {
    return serverTime;
  }

  /** Whether nobody waits for an answer from here. */
  boolean isIdle() {
    return calls == 0 && waiting.isEmpty();
  }

  /** Whether a call goes out, now or when the connection is open: the first attempt may succeed. */
  boolean takesCalls() {
    return state == State.READY || state == State.CONNECTING && attempts == 1;
  }

  /** Opens the connection. */
  void connect() {
    state = State.CONNECTING;
    int attempt = ++attempts;
    deadline(store.tick() + OPEN_NS);
    try {
      store
          .connector()
          .connect(address)
          .thenCompose(opened -> prepared(opened, attempt))
          .whenComplete(
              (ready, fault) -> store.eventLoop().execute(() -> connected(attempt, ready, fault)));
    } catch (RuntimeException fault) {
      connected(attempt, null, fault);
    }
  }

  /** The connection when the script is loaded there and has run. */
  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> prepared(
      StatefulRedisConnection<byte[], byte[]> opened, int attempt) {
    if (attempt == attempts) {
      opening = opened;
    }
    RedisAsyncCommands<byte[], byte[]> commands = opened.async();
    return named("SCRIPT LOAD", commands.scriptLoad(LuaScript.CHECK.source()))
        .thenCompose(digest -> named(TRIAL, trial(commands)))
        .handle(
            (ignored, fault) -> {
              if (fault != null) {
                opened.closeAsync();
                throw fault instanceof CompletionException wrapped
                    ? wrapped
                    : new CompletionException(fault);
              }
              return opened;
            });
  }

  /** The same, and its fault says which command it was. */
  private static <T> CompletionStage<T> named(String command, CompletionStage<T> call) {
    return call.exceptionally(
        fault -> {
          throw new CompletionException(
              new IllegalStateException(command + ": " + StoreHealth.cause(fault)));
        });
  }

  /** Charges a key of its own and forgets it: all commands that the script ever uses. */
  private CompletionStage<?> trial(RedisAsyncCommands<byte[], byte[]> commands) {
    int partition = store.partitionOf(address);
    if (partition < 0) {
      return CompletableFuture.completedFuture(null); // no key of ours belongs there yet
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
    return answered.handle(
        (answer, fault) -> {
          if (fault != null && !isRedirection(fault)) {
            throw new CompletionException(fault);
          }
          if (fault == null && answer.length != CheckReply.length(2)) {
            throw new IllegalStateException("the script's answer is no decision");
          }
          if (fault == null) {
            serverTime.answered(
                new CheckReply().wrap(ByteBuffer.wrap(answer), 2).nowUs(), store.tick());
          }
          return null;
        });
  }

  /** The partition is on its way to another server: this one is well all the same. */
  private static boolean isRedirection(Throwable fault) {
    return ErrorReply.of(StoreHealth.cause(fault)).remedy() == ErrorReply.Remedy.FOLLOW;
  }

  private void connected(
      int attempt, StatefulRedisConnection<byte[], byte[]> ready, Throwable fault) {
    if (state == State.CLOSED || attempt != attempts) {
      if (ready != null) {
        ready.closeAsync();
      }
      return;
    }
    opening = null;
    if (fault != null) {
      failed(StoreHealth.cause(fault));
      return;
    }
    observer.storeConnected(true);
    connection = ready;
    ready.addListener(new Loss(ready));
    if (!ready.isOpen()) {
      lost(ready);
      return;
    }
    state = State.READY;
    pauseNs = FIRST_PAUSE_NS;
    calls = 0;
    lastProgressNs = store.tick();
    lastLookNs = lastProgressNs;
    breaker.succeeded();
    deadline(lastProgressNs + LOOK_NS);
    store.health().up(name);
    for (Batch batch = waiting.poll(); batch != null; batch = waiting.poll()) {
      if (batch.isAbandoned()) {
        batch.dropChecks(store.debts()); // nobody waits any more; what it gives back still goes
      }
      if (batch.entryCount() == 0) {
        batch.unsent();
      } else {
        write(batch, lastProgressNs);
      }
    }
    store.linkReady(this);
  }

  private void failed(String cause) {
    observer.storeConnected(false);
    store.health().down(name, cause);
    store.refreshMap();
    pause();
  }

  /** The host may be gone, and then nothing ever tells. */
  private void giveUpOpening() {
    attempts++; // whatever still comes of it is too late
    if (opening != null) {
      opening.closeAsync();
      opening = null;
    }
    failed("no answer within " + OPEN_NS / 1_000_000 + " ms");
  }

  private void pause() {
    state = State.PAUSED;
    dismiss();
    deadline(store.tick() + pauseNs / 2 + ThreadLocalRandom.current().nextLong(pauseNs));
    pauseNs = Math.min(2 * pauseNs, LAST_PAUSE_NS);
  }

  private void dismiss() {
    for (Batch batch = waiting.poll(); batch != null; batch = waiting.poll()) {
      batch.unsent();
    }
  }

  private void lost(StatefulRedisConnection<byte[], byte[]> which) {
    if (which != connection || state != State.READY) {
      return;
    }
    connection = null;
    store.health().down(name, "connection lost");
    store.refreshMap();
    pause();
  }

  /** Closes the connection, and opens another after a pause. */
  void reset(String cause) {
    if (state != State.READY) {
      return;
    }
    StatefulRedisConnection<byte[], byte[]> old = connection;
    connection = null;
    store.health().down(name, cause);
    store.refreshMap();
    pause();
    old.closeAsync();
  }

  /** Never opens it again. */
  void close() {
    state = State.CLOSED;
    leave();
    dismiss();
    if (opening != null) {
      opening.closeAsync();
      opening = null;
    }
    if (connection != null) {
      connection.closeAsync();
      connection = null;
    }
  }

  @Override
  protected void onDeadline() {
    if (state == State.PAUSED) {
      store.closeUnused();
      if (state == State.PAUSED) {
        connect();
      }
    } else if (state == State.CONNECTING) {
      giveUpOpening();
    } else if (state == State.READY) {
      long nowNs = store.tick();
      boolean heldUp = nowNs - lastLookNs > HELD_UP_NS;
      lastLookNs = nowNs;
      if (calls > 0 && nowNs - lastProgressNs > HANG_NS && !heldUp) {
        reset("no answer for " + (nowNs - lastProgressNs) / 1_000_000 + " ms");
      } else {
        deadline(nowNs + LOOK_NS);
        if (nowNs - lastProgressNs > HANG_NS && !heldUp) {
          store.closeUnused(); // which may be this
        }
        if (state == State.READY
            && breaker.state() == Breaker.State.OPEN
            && breaker.tryPass(nowNs)) {
          probe(nowNs);
        }
        store.settleDebts(this, nowNs);
      }
    }
  }

  /** Finds out whether the server decides again, though no request may come to try it. */
  private void probe(long nowNs) {
    StatefulRedisConnection<byte[], byte[]> asked = connection;
    called(nowNs);
    trial(asked.async()).whenComplete((ignored, fault) -> probed(asked, nowNs, fault));
  }

  private void probed(
      StatefulRedisConnection<byte[], byte[]> asked, long askedNs, Throwable fault) {
    if (asked != connection) {
      return;
    }
    long nowNs = store.tick();
    answered(nowNs);
    if (fault != null) {
      String error = StoreHealth.cause(fault);
      store.health().refused(name, error);
      if (ErrorReply.of(error).remedy() == ErrorReply.Remedy.SEND_SOURCE) {
        asked.async().scriptLoad(LuaScript.CHECK.source()); // for the next: it may be a probe too
      }
    }
    if (fault == null && nowNs - askedNs < store.deadlineNs()) {
      breaker.succeeded();
      store.settleDebts(this, nowNs);
    } else {
      breaker.failed(nowNs);
    }
  }

  private void called(long nowNs) {
    if (calls++ == 0) {
      lastProgressNs = nowNs;
    }
  }

  void write(Batch batch, long nowNs) {
    if (state == State.READY) {
      called(nowNs);
      store.ended().writing();
      try {
        dispatch(batch);
      } catch (RuntimeException | Error bug) {
        batch.completeExceptionally(bug);
        InternalErrors.caught("a call to the store", bug);
      } finally {
        store.ended().written();
      }
    } else if (takesCalls()) {
      waiting.add(batch);
    } else {
      store.ended().writing();
      batch.unsent();
      store.ended().written();
    }
  }

  private void dispatch(Batch batch) {
    if (batch.isAsking()) {
      // The slot is on its way here: the next call is let in, and no other.
      connection.async().asking();
    }
    connection.dispatch(batch);
  }

  /** A call has come to its end. */
  void answered(long nowNs) {
    calls--;
    lastProgressNs = nowNs;
  }

  /** A call could not be made, or its answer will not come: so it is with all others. */
  void lostCall() {
    calls = Math.max(0, calls - 1);
    reset("connection lost");
  }

  /** Is told by Lettuce when a connection is gone. */
  private final class Loss implements RedisConnectionStateListener {
    private final StatefulRedisConnection<byte[], byte[]> which;

    Loss(StatefulRedisConnection<byte[], byte[]> which) {
      this.which = which;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
      lost(which);
    }
  }
}
