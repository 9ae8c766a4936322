package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The guard of one connection against floods of frames that RFC 9113 allows and abuse is made of.
 * Each call returns {@link ErrorCode#NO_ERROR}, or what the connection is to end with.
 */
final class FloodGuard {
  /** The age from which on a client may reset a stream at will: an outage is no attack. */
  static final long OLD_NS = TimeUnit.SECONDS.toNanos(1);

  /** Units of glitches that a peer may waste at once: below a quarter its connection is drained. */
  private static final int GLITCHES = 1_000;

  private static final int RESETS = 200;
  private static final int REFILLED_PER_SECOND = 33;
  private static final long EARLY_PING_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_OVERHEAD_BYTES = 1 << 20;
  private static final long OVERHEAD_NS = TimeUnit.MINUTES.toNanos(1);
  private static final byte[] NO_DEBUG_TEXT = {};
  private static final byte[] TOO_MANY_PINGS = "too_many_pings".getBytes(StandardCharsets.US_ASCII);

  private final Http2Connection connection;
  private final RefillingBudget glitches;

  /** Streams that the client may reset while they are worked on, or make us break off. */
  private final RefillingBudget resets;

  private long pingNs = Long.MIN_VALUE / 2;
  private long pingDataFrames = -1;
  private long ignoredFrames;
  private long windowUpdates;
  private long payloadBytes;

  /**
   * Bytes read since {@link #overheadSinceNs}; payload and content sent until then do not count.
   */
  private long totalBytes;

  private long usefulBefore;
  private long overheadSinceNs;
  private byte[] debugText = NO_DEBUG_TEXT;

  FloodGuard(Http2Connection connection) {
    this.connection = connection;
    glitches = new RefillingBudget(GLITCHES, REFILLED_PER_SECOND, nowNs());
    resets = new RefillingBudget(RESETS, REFILLED_PER_SECOND, nowNs());
    overheadSinceNs = nowNs();
  }

  private long nowNs() {
    return connection.loop.clock.nowNs();
  }

  /** The text that the peer is told with the error that was returned last. */
  byte[] debugText() {
    return debugText;
  }

  /**
   * Bytes were read, frames of whatever kind: in each minute fields and content must be some part
   * of them. A count over a connection's life would end an idle one that is pinged for weeks, and
   * excuse any overhead of one that has been busy.
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

  /** Some of what was read are fields or content. */
  void payload(int bytes) {
    payloadBytes += bytes;
  }

  /** A stream has ended well. */
  void streamCompleted() {
    resets.giveOne();
  }

  /**
   * A client has reset a stream that was worked on.
   *
   * @param lateNs from when on it may have waited for as long as it said.
   * @param oldNs from when on it may reset the stream at will.
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
   * The work on a client's stream was broken off for what the client did, or as it waits no longer.
   * Honest clients come to that too, in an outage. So no stream of theirs is cut: their connection
   * is drained while some of the budget is left, and past it takes no more streams.
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

  /** Streams that were opened, and content that was sent, call for so many. */
  int windowUpdate() {
    windowUpdates++;
    final long explained =
        5 + 2 * (connection.states.closed().count() + 10 * connection.queue.dataFrames());
    return windowUpdates > explained ? glitch(Glitch.WINDOW_UPDATE) : ErrorCode.NO_ERROR;
  }

  /** A frame that is not looked at; so many are usual. */
  int ignored() {
    ignoredFrames++;
    return ignoredFrames > 100L * (connection.states.closed().count() + 1)
        ? glitch(Glitch.IGNORED_FRAME)
        : ErrorCode.NO_ERROR;
  }

  /**
   * Resets a stream for a fault of the peer's in a message or a part of it.
   *
   * @param endStream whether the peer has said all with it.
   */
  int fault(int stream, int errorCode, boolean endStream) {
    if (endStream) {
      connection.streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    }
    return fault(stream, errorCode);
  }

  /** Resets a stream for a fault of the peer's. */
  int fault(int stream, int errorCode) {
    if (!connection.streams.has(stream, StreamSlots.RESET)) {
      connection.states.end(stream, StreamEnd.FAULT, errorCode);
    }
    return glitch(Glitch.STREAM_FAULT);
  }

  /**
   * Takes of the budget; drains the connection when that is low. What answers are made of takes
   * nothing: it is one client that asks for them, and the streams of all that would end. So it is
   * with what messages are made of that an ingress passes on.
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
