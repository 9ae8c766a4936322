package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Guards one connection against floods of frames that RFC 9113 allows. Each call returns {@link
 * ErrorCode#NO_ERROR}, or the error code with which the connection has to end.
 */
final class FloodGuard {
  /** The age from which a client may reset a stream without cost, as in an outage many do. */
  static final long OLD_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Units of glitches that a peer may have at once; with less than a quarter left, its connection
   * is drained.
   */
  private static final int GLITCHES = 1_000;

  private static final int RESETS = 200;
  private static final int REFILLED_PER_SECOND = 33;
  private static final long EARLY_PING_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_OVERHEAD_BYTES = 1 << 20;
  private static final long OVERHEAD_NS = TimeUnit.MINUTES.toNanos(1);
  private static final byte[] TOO_MANY_PINGS = "too_many_pings".getBytes(StandardCharsets.US_ASCII);

  private final Http2Connection connection;
  private final RefillingBudget glitches;

  /**
   * The budget of resets: streams that the client resets while they are processed, or that we break
   * off because of it.
   */
  private final RefillingBudget resets;

  private long pingNs = Long.MIN_VALUE / 2;
  private long pingDataFrames = -1;
  private long ignoredFrames;
  private long windowUpdates;
  private long payloadBytes;

  /**
   * Bytes read since {@link #overheadSinceNs}, without the payload and the content sent until then.
   */
  private long totalBytes;

  private long usefulBefore;
  private long overheadSinceNs;
  private byte[] debugText = Http2Output.NO_DEBUG_TEXT;

  FloodGuard(Http2Connection connection) {
    this.connection = connection;
    glitches = new RefillingBudget(GLITCHES, REFILLED_PER_SECOND, nowNs());
    resets = new RefillingBudget(RESETS, REFILLED_PER_SECOND, nowNs());
    overheadSinceNs = nowNs();
  }

  private long nowNs() {
    return connection.loop.clock.nowNs();
  }

  /** The debug text for the error that was returned last. */
  byte[] debugText() {
    return debugText;
  }

  /**
   * Counts bytes of any frames: in each minute a part of them must be fields and content. A count
   * over a connection's life would end an idle connection that is pinged for weeks, and excuse any
   * overhead after a busy time.
   */
  int read(int bytes) {
    final long useful = payloadBytes + connection.queue.contentBytes();
    if (nowNs() - overheadSinceNs >= OVERHEAD_NS) {
      overheadSinceNs = nowNs();
      usefulBefore = useful;
      totalBytes = 0;
    }
    totalBytes += bytes;
    if (totalBytes / 8 <= useful - usefulBefore + MAX_OVERHEAD_BYTES) {
      return ErrorCode.NO_ERROR;
    }
    if (connection.role == Role.SERVER) {
      return ErrorCode.ENHANCE_YOUR_CALM;
    }
    connection.drain(); // answers of little content, of which one client may ask for all
    return ErrorCode.NO_ERROR;
  }

  /** Counts bytes that were fields or content. */
  void payload(int bytes) {
    payloadBytes += bytes;
  }

  /** Counts a stream that has ended well. */
  void streamCompleted() {
    resets.giveOne();
  }

  /**
   * Counts a stream that the client has reset while it was processed.
   *
   * @param lateNs from when on the client may have waited as long as it said.
   * @param oldNs from when on it may reset the stream without cost.
   */
  int reset(long lateNs, long oldNs) {
    if (nowNs() > lateNs) {
      brokenOff(oldNs);
      return ErrorCode.NO_ERROR;
    }
    if (nowNs() > oldNs || resets.take(1, nowNs()) >= 0) {
      return ErrorCode.NO_ERROR;
    }
    connection.handler.pauseReading();
    return glitch(Glitch.RAPID_RESET);
  }

  /**
   * Counts a client's stream that was broken off because of the client, or as the client no longer
   * waits. Clients do that in an outage too, so no stream of theirs is cut: their connection is
   * drained while some of the budget is left; when it is spent, the connection takes no more
   * streams.
   *
   * @param oldNs as in {@link #reset}.
   */
  void brokenOff(long oldNs) {
    if (nowNs() > oldNs) {
      return;
    }
    final int left = resets.take(1, nowNs());
    if (left < RESETS / 4) {
      connection.drain();
    }
    if (left < 0) {
      connection.observer.glitch(Glitch.RAPID_RESET);
      connection.goAways.finish();
    }
  }

  int ping() {
    final long nowNs = nowNs();
    final long frames = connection.queue.dataFrames();
    final boolean early = nowNs - pingNs < EARLY_PING_NS && frames == pingDataFrames;
    pingNs = nowNs;
    pingDataFrames = frames;
    if (!early) {
      return ErrorCode.NO_ERROR;
    }
    final int error = glitch(Glitch.PING);
    if (error != ErrorCode.NO_ERROR) {
      debugText = TOO_MANY_PINGS;
    }
    return error;
  }

  /** Counts a WINDOW_UPDATE; as many are normal as the streams and the content sent need. */
  int windowUpdate() {
    windowUpdates++;
    final long explained =
        5 + 2 * (connection.states.closed().count() + 10 * connection.queue.dataFrames());
    return windowUpdates > explained ? glitch(Glitch.WINDOW_UPDATE) : ErrorCode.NO_ERROR;
  }

  /** Counts an ignored frame; a number of them is normal. */
  int ignored() {
    ignoredFrames++;
    return ignoredFrames > 100L * (connection.states.closed().count() + 1)
        ? glitch(Glitch.IGNORED_FRAME)
        : ErrorCode.NO_ERROR;
  }

  /**
   * Resets a stream whose message or frame is malformed.
   *
   * @param endStream whether the peer's side ends with it.
   */
  int fault(int stream, int errorCode, boolean endStream) {
    if (endStream) {
      connection.streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    return fault(stream, errorCode);
  }

  /** Resets a stream because of an error of the peer. */
  int fault(int stream, int errorCode) {
    if (!connection.streams.has(stream, StreamSlots.RESET)) {
      connection.states.end(stream, StreamEnd.FAULT, errorCode);
    }
    return glitch(Glitch.STREAM_FAULT);
  }

  /**
   * Takes units from the budget of glitches, and drains the connection when little is left.
   * Glitches in responses cost nothing, as one client causes them and the connection carries
   * others' streams; nor do glitches in messages that an ingress forwards.
   */
  int glitch(Glitch glitch) {
    connection.observer.glitch(glitch);
    if (connection.isShared() && glitch.isOfMessage()) {
      return ErrorCode.NO_ERROR;
    }
    final int left = glitches.take(glitch.units(), nowNs());
    if (left <= 0) {
      return ErrorCode.ENHANCE_YOUR_CALM;
    }
    if (left < GLITCHES / 4) {
      connection.drain();
    }
    return ErrorCode.NO_ERROR;
  }
}
