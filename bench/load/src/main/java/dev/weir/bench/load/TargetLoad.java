package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The load of one target on one event loop: its connections, and what is due on them. A request
 * goes over the connection that has had room for longest; while none has, requests stay due, and
 * their latency grows, as it would for those who wait. One that could not be started within the
 * time-out has failed, so what waits is bounded.
 */
final class TargetLoad implements LoadSink {
  private final Connector connector;
  private final RequestMix mix;
  private final Schedule.Cursor warmUp;
  private final Schedule.Cursor measured;
  private final Settings settings;
  private final int requestsPerConnection;
  private final Map<LoadConnection, OpenConnection> openConnections = new IdentityHashMap<>();
  private final ArrayDeque<OpenConnection> ready;
  private final ArrayDeque<OpenConnection> written;
  private final ReconnectPause pause = new ReconnectPause();
  private RunTimes times;
  private LoopRecorder recorder;
  private LoadLoop loop;
  private Schedule.Cursor cursor;
  private long baseNs;

  /** When a connection last came to have room while a request waited for one. */
  private long roomSinceNs;

  private boolean starved;
  private int connecting;
  private int refusedCount;
  private Throwable refusal;

  private boolean closed;

  /**
   * @param warmUp null for none, and in a closed loop.
   * @param measured null in a closed loop.
   */
  TargetLoad(
      Connector connector,
      RequestMix mix,
      Schedule.Cursor warmUp,
      Schedule.Cursor measured,
      Settings settings) {
    this.connector = connector;
    this.mix = mix;
    this.warmUp = warmUp;
    this.measured = measured;
    this.settings = settings;
    requestsPerConnection =
        settings.requestsPerConnection() == ClientSettings.NO_END
            ? Integer.MAX_VALUE
            : settings.requestsPerConnection();
    ready = new ArrayDeque<>(settings.connections() + 1);
    written = new ArrayDeque<>(settings.connections() + 1);
  }

  /** A connection, and which queues it is in: looking for it there would take longer. */
  private static final class OpenConnection {
    private final LoadConnection connection;
    private int requestsLeft;
    private boolean isReady;
    private boolean isWritten;

    private OpenConnection(LoadConnection connection, int requestsPerConnection) {
      this.connection = connection;
      requestsLeft = requestsPerConnection;
    }

    private boolean hasRoom() {
      return requestsLeft > 0 && connection.hasRoom();
    }
  }

  void connect() {
    for (int i = 0; i < settings.connections(); i++) {
      connectOne();
    }
  }

  private void connectOne() {
    connecting++;
    connector.connect(this);
  }

  Target target() {
    return connector.target();
  }

  /** Whether it is known of every connection whether it came about. */
  boolean settled() {
    return connecting == 0;
  }

  int connections() {
    return settings.connections();
  }

  int openCount() {
    return openConnections.size();
  }

  /** Why the last attempt to connect failed; null if none has. */
  Throwable refusal() {
    return refusal;
  }

  /** From now on requests are due. */
  void begin(RunTimes times, LoopRecorder recorder, LoadLoop loop) {
    this.times = times;
    this.recorder = recorder;
    this.loop = loop;
    cursor = warmUp == null ? measured : warmUp;
    baseNs = warmUp == null ? times.measuredFromNs : times.startNs;
    roomSinceNs = times.startNs;
    for (int i = 0; i < refusedCount; i++) {
      reconnect();
    }
  }

  /** When a turn is needed next; {@link Long#MAX_VALUE} if none is until an answer comes. */
  long nextDueNs() {
    return settings.closedLoop() || starved ? Long.MAX_VALUE : dueNs();
  }

  /** Whether nothing is due any more and nothing in flight. */
  boolean idle(long nowNs) {
    return inFlight() == 0
        && nowNs >= times.endNs()
        && (cursor == null || dueNs() >= times.endNs());
  }

  int inFlight() {
    int sum = 0;
    for (OpenConnection open : openConnections.values()) {
      sum += open.connection.inFlight();
    }
    return sum;
  }

  void startDue(long nowNs) {
    if (times == null || nowNs < times.startNs) {
      return;
    }
    if (settings.closedLoop()) {
      startAll(nowNs);
    } else {
      startScheduled(nowNs);
    }
    for (OpenConnection open = written.poll(); open != null; open = written.poll()) {
      open.isWritten = false;
      open.connection.flush();
    }
  }

  private void startAll(long nowNs) {
    while (nowNs < times.endNs()) {
      final OpenConnection open = pollReady();
      if (open == null) {
        return;
      }
      start(open, nowNs, nowNs, nowNs);
    }
  }

  private void startScheduled(long nowNs) {
    final long endNs = times.endNs();
    if (cursor == warmUp && nowNs >= times.measuredFromNs) {
      measure(); // what the warm-up has not got to is not asked for any more
    }
    long dueNs = dueNs();
    while (dueNs <= nowNs && dueNs < endNs) {
      if (nowNs - dueNs > settings.timeoutNs()) {
        recorder.failed(Failure.NOT_STARTED, dueNs, dueNs, nowNs);
      } else {
        final OpenConnection open = pollReady();
        if (open == null) {
          starved = true;
          return;
        }
        start(open, dueNs, Math.max(dueNs, roomSinceNs), nowNs);
      }
      cursor.advance();
      dueNs = dueNs();
    }
    if (starved) {
      starved = false;
      loop.turnBy(dueNs);
    }
  }

  private void measure() {
    cursor = measured;
    baseNs = times.measuredFromNs;
  }

  /** When the next request is due, of the warm-up first. */
  private long dueNs() {
    if (cursor == warmUp && warmUp != null && cursor.dueNs() == Long.MAX_VALUE) {
      measure();
    }
    return cursor.dueNs() == Long.MAX_VALUE ? Long.MAX_VALUE : baseNs + cursor.dueNs();
  }

  /** Null if no connection has room. Those that have been told to end have none any more. */
  private OpenConnection pollReady() {
    OpenConnection open = ready.poll();
    while (open != null && !open.hasRoom()) {
      open.isReady = false;
      open = ready.poll();
    }
    return open;
  }

  private void start(OpenConnection open, long dueNs, long possibleNs, long nowNs) {
    recorder.started(dueNs, possibleNs, nowNs);
    open.connection.start(mix.next(), dueNs, nowNs);
    open.requestsLeft--;
    if (open.hasRoom()) {
      ready.add(open);
    } else {
      open.isReady = false;
    }
    if (!open.isWritten) {
      open.isWritten = true;
      written.add(open);
    }
  }

  void expire(long nowNs) {
    if (times == null) {
      return;
    }
    for (OpenConnection open : openConnections.values().toArray(new OpenConnection[0])) {
      open.connection.expire(nowNs - settings.timeoutNs());
    }
    // This gives up, too, what waits for room that does not come.
    startDue(nowNs);
  }

  @Override
  public void opened(LoadConnection connection) {
    connecting--;
    if (closed) {
      connection.close();
      return;
    }
    openConnections.put(connection, new OpenConnection(connection, requestsPerConnection));
    room(connection);
  }

  @Override
  public void shakenHands(boolean resumed) {
    if (recorder != null) {
      recorder.shakenHands(resumed, System.nanoTime());
    }
  }

  @Override
  public void refused(Throwable cause) {
    connecting--;
    refusedCount++;
    refusal = cause;
    if (times != null) {
      reconnect();
    }
  }

  @Override
  public void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs) {
    pause.end();
    recorder.answered(httpStatus, grpcStatus, dueNs, startedNs, System.nanoTime());
  }

  @Override
  public void failed(Failure failure, long dueNs, long startedNs) {
    recorder.failed(failure, dueNs, startedNs, System.nanoTime());
  }

  @Override
  public void room(LoadConnection connection) {
    final OpenConnection open = openConnections.get(connection);
    if (open != null && open.requestsLeft == 0 && connection.inFlight() == 0) {
      replace(open);
      return;
    }
    if (open == null || open.isReady || !open.hasRoom()) {
      return;
    }
    final long nowNs = System.nanoTime();
    if (ready.isEmpty()) {
      roomSinceNs = nowNs;
    }
    open.isReady = true;
    ready.add(open);
    startDue(nowNs);
  }

  @Override
  public void closed(LoadConnection connection) {
    final OpenConnection open = openConnections.remove(connection);
    if (open != null && open.isReady) {
      ready.remove(open);
    }
    if (open != null && open.isWritten) {
      written.remove(open);
    }
    if (recorder != null) {
      recorder.reconnected();
    }
    reconnect();
  }

  /** Closes a connection that has had its requests, and opens another. */
  private void replace(OpenConnection spent) {
    openConnections.remove(spent.connection);
    spent.connection.close();
    connectOne();
  }

  private void reconnect() {
    if (closed) {
      return;
    }
    connector
        .eventLoop()
        .schedule(
            () -> {
              if (!closed) {
                connectOne();
              }
            },
            pause.next(System.nanoTime()),
            TimeUnit.MILLISECONDS);
  }

  /** Closes all connections; what is in flight is forgotten, and nothing more recorded. */
  void close() {
    closed = true;
    for (OpenConnection open : openConnections.values().toArray(new OpenConnection[0])) {
      open.connection.close();
    }
    openConnections.clear();
    ready.clear();
  }

  /**
   * How a targetLoad carries its load.
   *
   * @param connections at least one.
   * @param requestsPerConnection after which a connection is replaced; {@link
   *     ClientSettings#NO_END} for never.
   * @param closedLoop whether a request is due as soon as there is room for it.
   */
  record Settings(int connections, int requestsPerConnection, long timeoutNs, boolean closedLoop) {}

  /**
   * How long to wait before a lost connection is opened again: not at all while the target answers,
   * and up to 100 ms while it does not.
   */
  static final class ReconnectPause {
    private static final long FIRST_MS = 1;
    private static final long LONGEST_MS = 100;

    private long ms;
    private long grownNs = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    void end() {
      ms = 0;
    }

    /** The pause of a connection that is lost now, in milliseconds. */
    long next(long nowNs) {
      final long pauseMs = ms;
      // Grows once for all connections that are lost together.
      if (nowNs - grownNs >= TimeUnit.MILLISECONDS.toNanos(ms)) {
        grownNs = nowNs;
        ms = Math.min(Math.max(FIRST_MS, 2 * ms), LONGEST_MS);
      }
      return pauseMs;
    }
  }
}
