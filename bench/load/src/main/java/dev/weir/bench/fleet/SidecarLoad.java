package dev.weir.bench.fleet;

import dev.weir.bench.load.Connector;
import dev.weir.bench.load.LoadConnection;
import dev.weir.bench.load.LoadSink;
import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.load.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The requests for one sidecar: some connections of HTTP/1.1, and what waits for one of them to be
 * free. A connection that is lost is opened again. Used by one event loop.
 */
final class SidecarLoad {
  static final int CONNECTIONS = 16;
  private static final long RECONNECT_MS = 20;

  private final Connector connector;
  private final List<Link> links = new ArrayList<>();
  private final ArrayDeque<Link> free = new ArrayDeque<>();
  private final ArrayDeque<Check> waiting = new ArrayDeque<>();
  private FleetTrace trace;
  private long timeoutNs;
  private boolean closed;

  record Check(Request request, String rule, int key, long dueNs) {}

  SidecarLoad(Connector connector, long timeoutNs) {
    this.connector = connector;
    this.timeoutNs = timeoutNs;
    for (int i = 0; i < CONNECTIONS; i++) {
      links.add(new Link());
    }
  }

  void connect() {
    links.forEach(Link::connect);
  }

  /** From now on this is where it is recorded what becomes of requests. */
  void begin(FleetTrace next) {
    trace = next;
  }

  /** Sends a request, or has it wait for a connection. */
  void offer(Check check, long nowNs) {
    final Link link = free.poll();
    if (link == null) {
      waiting.add(check);
    } else {
      link.start(check, nowNs);
    }
  }

  void expire(long nowNs) {
    while (!waiting.isEmpty() && nowNs - waiting.peek().dueNs() > timeoutNs) {
      final Check check = waiting.poll();
      trace.failed(check.rule(), check.key(), nowNs, nowNs);
    }
    for (Link link : links) {
      if (link.check != null) {
        link.connection.expire(nowNs - timeoutNs);
      }
    }
  }

  /** Whether nothing waits, and nothing is in flight. */
  boolean isIdle() {
    return waiting.isEmpty() && links.stream().allMatch(link -> link.check == null);
  }

  int openCount() {
    return (int) links.stream().filter(link -> link.connection != null).count();
  }

  void close() {
    closed = true;
    for (Link link : links) {
      if (link.connection != null) {
        link.connection.close();
      }
    }
  }

  /** One connection at a time, and the request on it. */
  private final class Link implements LoadSink {
    private LoadConnection connection;
    private Check check;

    private void connect() {
      connector.connect(this);
    }

    private void start(Check next, long nowNs) {
      check = next;
      trace.sent(next.rule(), nowNs);
      connection.start(next.request(), next.dueNs(), nowNs);
      connection.flush();
    }

    @Override
    public void opened(LoadConnection opened) {
      if (closed) {
        opened.close();
        return;
      }
      connection = opened;
      room(opened);
    }

    @Override
    public void shakenHands(boolean resumed) {
      throw new IllegalStateException("a handshake of TLS on a connection without it");
    }

    @Override
    public void refused(Throwable cause) {
      reconnect();
    }

    @Override
    public void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs) {
      final long nowNs = System.nanoTime();
      trace.answered(check.rule(), check.key(), httpStatus, dueNs, startedNs, nowNs);
      check = null;
    }

    @Override
    public void failed(Failure failure, long dueNs, long startedNs) {
      trace.failed(check.rule(), check.key(), startedNs, System.nanoTime());
      check = null;
    }

    @Override
    public void room(LoadConnection connection) {
      final Check next = waiting.poll();
      if (next == null) {
        free.add(this);
      } else {
        start(next, System.nanoTime());
      }
    }

    @Override
    public void closed(LoadConnection lost) {
      connection = null;
      free.remove(this);
      reconnect();
    }

    private void reconnect() {
      if (!closed) {
        connector
            .eventLoop()
            .schedule(
                () -> {
                  if (!closed) {
                    connect();
                  }
                },
                RECONNECT_MS,
                TimeUnit.MILLISECONDS);
      }
    }
  }
}
