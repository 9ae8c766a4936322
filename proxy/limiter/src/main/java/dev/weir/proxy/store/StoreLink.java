package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.proxy.store.map.StoreNode;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;

/**
 * One event loop's connection to one server. It is ready when the script is loaded and has run
 * once, so a missing permission shows before a request depends on it. A connection that is lost, or
 * that has not answered for {@link #HANG_NS}, is closed and opened again, after a growing pause
 * with jitter. An event loop that was itself held up, as on a suspended machine, first reads what
 * has arrived before it judges. Nothing is sent twice.
 */
final class StoreLink extends Deadlines.Waiter {
  /** After so long without an answer to a call the connection is closed. */
  static final long HANG_NS = 1_000_000_000;

  private static final String NO_ANSWER = "no answer for " + HANG_NS / 1_000_000 + " ms or more";

  /** The time for connecting and running the script once, beyond Lettuce's time-out for TCP. */
  private static final long OPEN_NS = 3_000_000_000L;

  /** The deadlines in a row without an answer after which the breaker opens. */
  private static final int PATIENCE = 4;

  private static final long FIRST_PAUSE_NS = 50_000_000;
  private static final long LAST_PAUSE_NS = 2_000_000_000;
  private static final long LOOK_NS = 100_000_000;

  /** If two looks are further apart, this event loop was held up, not the server. */
  private static final long HELD_UP_NS = HANG_NS / 2;

  private enum State {
    PAUSED,
    CONNECTING,
    READY,
    CLOSED
  }

  private final LoopStoreConfig parts;
  private final EndedCalls ended;
  private final LoopStore store;
  private final SocketAddress address;
  private final IntSupplier partition;
  private final String name;
  private final Breaker breaker;
  private final ServerTime serverTime = new ServerTime();
  private StatefulRedisConnection<byte[], byte[]> connection;

  /** A connection on which the script has not run yet. */
  private StatefulRedisConnection<byte[], byte[]> opening;

  /** Calls that were redirected here before the connection was open. */
  private final ArrayDeque<BatchCall> waiting = new ArrayDeque<>();

  private int attempts;
  private State state = State.PAUSED;

  /** The identity of the server: {@link ServerIdentity}. */
  private long server;

  private long pauseNs = FIRST_PAUSE_NS;
  private int calls;
  private long lastProgressNs;
  private long lastLookNs;

  /**
   * @param store is told when the server decides, and when the connection is idle.
   * @param partition that the server has; negative if it has none.
   */
  StoreLink(
      LoopStoreConfig parts,
      EndedCalls ended,
      LoopStore store,
      SocketAddress address,
      IntSupplier partition) {
    this.parts = parts;
    this.ended = ended;
    this.store = store;
    this.address = address;
    this.partition = partition;
    this.name = StoreNode.text(address);
    this.breaker = new Breaker(PATIENCE * parts.deadlineNs(), parts.jitter());
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

  /**
   * The identity of the connected server ({@link StoreDecision#server()}); 0 while there is none.
   */
  long server() {
    return state == State.READY ? server : 0;
  }

  /** The server's estimated time. */
  ServerTime serverTime() {
    return serverTime;
  }

  /** Whether no answer is awaited on it. */
  boolean isIdle() {
    return calls == 0 && waiting.isEmpty();
  }

  /** Whether calls are sent, now or when the connection is open: the first attempt may succeed. */
  boolean takesCalls() {
    return state == State.READY || state == State.CONNECTING && attempts == 1;
  }

  /** Opens the connection. */
  void connect() {
    state = State.CONNECTING;
    int attempt = ++attempts;
    deadline(tick() + OPEN_NS);
    try {
      parts
          .connector()
          .apply(address)
          .thenCompose(opened -> prepared(opened, attempt))
          .whenComplete(
              (ready, fault) -> parts.eventLoop().execute(() -> connected(attempt, ready, fault)));
    } catch (RuntimeException fault) {
      connected(attempt, null, fault);
    }
  }

  /** The connection, once the script is loaded and has run. */
  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> prepared(
      StatefulRedisConnection<byte[], byte[]> opened, int attempt) {
    if (attempt == attempts) {
      opening = opened;
    }
    return ScriptTrial.loadAndRun(opened.async(), partition.getAsInt())
        .thenCombine(
            ServerIdentity.of(address, opened.async()),
            (serverUs, identity) -> {
              identified(identity, attempt);
              return serverUs;
            })
        .handle(
            (serverUs, fault) -> {
              if (fault != null) {
                opened.closeAsync();
                throw fault instanceof CompletionException wrapped
                    ? wrapped
                    : new CompletionException(fault);
              }
              tried(serverUs);
              return opened;
            });
  }

  private void identified(long identity, int attempt) {
    if (attempt == attempts) {
      server = identity;
    }
  }

  /**
   * The script has run.
   *
   * @param serverUs the server's time, 0 if it was not asked.
   */
  private void tried(long serverUs) {
    if (serverUs > 0) {
      serverTime.answered(serverUs, tick());
    }
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
      failed(StoreCalls.cause(fault));
      return;
    }
    parts.observer().storeConnected(true);
    connection = ready;
    ready.addListener(new Loss(ready));
    if (!ready.isOpen()) {
      lost(ready);
      return;
    }
    state = State.READY;
    pauseNs = FIRST_PAUSE_NS;
    calls = 0;
    lastProgressNs = tick();
    lastLookNs = lastProgressNs;
    breaker.succeeded();
    deadline(lastProgressNs + LOOK_NS);
    parts.health().up(name);
    for (BatchCall call = waiting.poll(); call != null; call = waiting.poll()) {
      if (call.isNeeded()) {
        write(call, lastProgressNs);
      } else {
        call.unsent();
      }
    }
    store.ready(this);
  }

  private void failed(String cause) {
    parts.observer().storeConnected(false);
    parts.health().down(name, cause);
    parts.refreshMap().run();
    pause();
  }

  /** Gives up opening a connection, as a host that is gone never answers. */
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
    deadline(tick() + pauseNs / 2 + parts.jitter().applyAsLong(pauseNs));
    pauseNs = Math.min(2 * pauseNs, LAST_PAUSE_NS);
  }

  private void dismiss() {
    for (BatchCall call = waiting.poll(); call != null; call = waiting.poll()) {
      call.unsent();
    }
  }

  private void lost(StatefulRedisConnection<byte[], byte[]> which) {
    if (which != connection || state != State.READY) {
      return;
    }
    connection = null;
    parts.health().down(name, "connection lost");
    parts.refreshMap().run();
    pause();
  }

  /** Closes the connection, and opens another after a pause. */
  void reset(String cause) {
    if (state != State.READY) {
      return;
    }
    StatefulRedisConnection<byte[], byte[]> old = connection;
    connection = null;
    parts.health().down(name, cause);
    parts.refreshMap().run();
    pause();
    old.closeAsync();
  }

  /** Closes the connection for good. */
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
      long nowNs = tick();
      boolean heldUp = nowNs - lastLookNs > HELD_UP_NS;
      lastLookNs = nowNs;
      if (calls > 0 && nowNs - lastProgressNs > HANG_NS && !heldUp) {
        reset(NO_ANSWER);
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

  /** Finds out whether the server decides again, even if no request comes. */
  private void probe(long nowNs) {
    StatefulRedisConnection<byte[], byte[]> asked = connection;
    called(nowNs);
    ScriptTrial.run(asked.async(), partition.getAsInt())
        .whenComplete((serverUs, fault) -> probed(asked, nowNs, serverUs, fault));
  }

  private void probed(
      StatefulRedisConnection<byte[], byte[]> asked, long askedNs, Long serverUs, Throwable fault) {
    if (asked != connection) {
      return;
    }
    long nowNs = tick();
    answered(nowNs);
    if (fault != null) {
      String error = StoreCalls.cause(fault);
      parts.health().refused(name, error);
      if (ErrorReply.of(error).remedy() == ErrorReply.Remedy.SEND_SOURCE) {
        ScriptTrial.load(asked.async()); // for the next: it may be a probe too
      }
    }
    if (fault == null) {
      tried(serverUs);
    }
    if (fault == null && nowNs - askedNs < parts.deadlineNs()) {
      breaker.succeeded();
      store.settleDebts(this, nowNs);
    } else {
      breaker.failed(nowNs);
    }
  }

  private long tick() {
    return parts.clock().tick();
  }

  private void called(long nowNs) {
    if (calls++ == 0) {
      lastProgressNs = nowNs;
    }
  }

  /** Writes a call, now or when the connection is open; otherwise it ends unsent. */
  void write(BatchCall call, long nowNs) {
    if (state == State.READY) {
      called(nowNs);
      ended.writing();
      try {
        dispatch(call);
      } catch (RuntimeException | Error bug) {
        call.completeExceptionally(bug);
        InternalErrors.caught("a call to the store", bug);
      } finally {
        ended.written();
      }
    } else if (takesCalls()) {
      waiting.add(call);
    } else {
      ended.writing();
      call.unsent();
      ended.written();
    }
  }

  private void dispatch(BatchCall call) {
    if (call.isAsking()) {
      // The slot is on its way here: the next call is let in, and no other.
      connection.async().asking();
    }
    connection.dispatch(call);
  }

  /** A call has been answered. */
  void answered(long nowNs) {
    calls--;
    lastProgressNs = nowNs;
  }

  /** A call was lost, so the connection is reset with all others on it. */
  void lostCall() {
    calls = Math.max(0, calls - 1);
    reset("connection lost");
  }

  /** Lettuce's notice that a connection is gone. */
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
