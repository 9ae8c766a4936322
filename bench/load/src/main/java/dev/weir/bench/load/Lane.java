package dev.weir.bench.load;

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
final class Lane implements LoadSink {
  private static final long FIRST_PAUSE_MS = 1;
  private static final long LONGEST_PAUSE_MS = 100;

  private final Connector connector;
  private final RequestMix mix;
  private final Schedule.Cursor warmUp;
  private final Schedule.Cursor measured;
  private final LaneSettings settings;
  private final Map<LoadConnection, Seat> seats = new IdentityHashMap<>();
  private final ArrayDeque<Seat> ready;
  private final ArrayDeque<Seat> written;
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

  /** Before the next attempt to connect: none while there are answers. */
  private long pauseMs;

  private long pauseGrownNs = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);
  private boolean closed;

  /**
   * @param warmUp null for none, and in a closed loop.
   * @param measured null in a closed loop.
   */
  Lane(
      Connector connector,
      RequestMix mix,
      Schedule.Cursor warmUp,
      Schedule.Cursor measured,
      LaneSettings settings) {
    this.connector = connector;
    this.mix = mix;
    this.warmUp = warmUp;
    this.measured = measured;
    this.settings = settings;
    ready = new ArrayDeque<>(settings.connections() + 1);
    written = new ArrayDeque<>(settings.connections() + 1);
  }

  /** A connection's place here, which tells what a collection of connections would have to find. */
  private static final class Seat {
    private final LoadConnection connection;
    private boolean isReady;
    private boolean isWritten;

    private Seat(LoadConnection connection) {
      this.connection = connection;
    }
  }

  /** Opens all connections. */
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

  /** How many there shall be. */
  int connections() {
    return settings.connections();
  }

  /** How many there are. */
  int openCount() {
    return seats.size();
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
    baseNs = warmUp == null ? times.measuredFromNs() : times.startNs();
    roomSinceNs = times.startNs();
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

  /** Requests without an answer yet. */
  int inFlight() {
    int sum = 0;
    for (Seat seat : seats.values()) {
      sum += seat.connection.inFlight();
    }
    return sum;
  }

  /** Starts what is due. */
  void startDue(long nowNs) {
    if (times == null || nowNs < times.startNs()) {
      return;
    }
    if (settings.closedLoop()) {
      startAll(nowNs);
    } else {
      startScheduled(nowNs);
    }
    for (Seat seat = written.poll(); seat != null; seat = written.poll()) {
      seat.isWritten = false;
      seat.connection.flush();
    }
  }

  private void startAll(long nowNs) {
    while (nowNs < times.endNs()) {
      final Seat seat = pollReady();
      if (seat == null) {
        return;
      }
      start(seat, nowNs, nowNs, nowNs);
    }
  }

  private void startScheduled(long nowNs) {
    final long endNs = times.endNs();
    if (cursor == warmUp && nowNs >= times.measuredFromNs()) {
      measure(); // what the warm-up has not got to is not asked for any more
    }
    long dueNs = dueNs();
    while (dueNs <= nowNs && dueNs < endNs) {
      if (nowNs - dueNs > settings.timeoutNs()) {
        recorder.failed(Failure.NOT_STARTED, dueNs, dueNs, nowNs);
      } else {
        final Seat seat = pollReady();
        if (seat == null) {
          starved = true;
          return;
        }
        start(seat, dueNs, Math.max(dueNs, roomSinceNs), nowNs);
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
    baseNs = times.measuredFromNs();
  }

  /** When the next request is due, of the warm-up first. */
  private long dueNs() {
    if (cursor == warmUp && warmUp != null && cursor.dueNs() == Long.MAX_VALUE) {
      measure();
    }
    return cursor.dueNs() == Long.MAX_VALUE ? Long.MAX_VALUE : baseNs + cursor.dueNs();
  }

  /** Null if no connection has room. Those that have been told to end have none any more. */
  private Seat pollReady() {
    Seat seat = ready.poll();
    while (seat != null && !seat.connection.hasRoom()) {
      seat.isReady = false;
      seat = ready.poll();
    }
    return seat;
  }

  private void start(Seat seat, long dueNs, long possibleNs, long nowNs) {
    recorder.started(dueNs, possibleNs, nowNs);
    seat.connection.start(mix.next(), dueNs, nowNs);
    if (seat.connection.hasRoom()) {
      ready.add(seat);
    } else {
      seat.isReady = false;
    }
    if (!seat.isWritten) {
      seat.isWritten = true;
      written.add(seat);
    }
  }

  /** Gives up what was started too long ago. */
  void expire(long nowNs) {
    if (times == null) {
      return;
    }
    for (Seat seat : seats.values().toArray(new Seat[0])) {
      seat.connection.expire(nowNs - settings.timeoutNs());
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
    seats.put(connection, new Seat(connection));
    room(connection);
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
    pauseMs = 0;
    recorder.answered(httpStatus, grpcStatus, dueNs, startedNs, System.nanoTime());
  }

  @Override
  public void failed(Failure failure, long dueNs, long startedNs) {
    recorder.failed(failure, dueNs, startedNs, System.nanoTime());
  }

  @Override
  public void room(LoadConnection connection) {
    final Seat seat = seats.get(connection);
    if (seat == null || seat.isReady || !connection.hasRoom()) {
      return;
    }
    final long nowNs = System.nanoTime();
    if (ready.isEmpty()) {
      roomSinceNs = nowNs;
    }
    seat.isReady = true;
    ready.add(seat);
    startDue(nowNs);
  }

  @Override
  public void closed(LoadConnection connection) {
    final Seat seat = seats.remove(connection);
    if (seat != null && seat.isReady) {
      ready.remove(seat);
    }
    if (seat != null && seat.isWritten) {
      written.remove(seat);
    }
    if (recorder != null) {
      recorder.reconnected();
    }
    reconnect();
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
            pauseMs,
            TimeUnit.MILLISECONDS);
    // Grows once for all connections that are lost together.
    final long nowNs = System.nanoTime();
    if (nowNs - pauseGrownNs >= TimeUnit.MILLISECONDS.toNanos(pauseMs)) {
      pauseGrownNs = nowNs;
      pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * pauseMs), LONGEST_PAUSE_MS);
    }
  }

  /** Closes all connections; what is in flight is forgotten, and nothing more recorded. */
  void close() {
    closed = true;
    for (Seat seat : seats.values().toArray(new Seat[0])) {
      seat.connection.close();
    }
    seats.clear();
    ready.clear();
  }
}
