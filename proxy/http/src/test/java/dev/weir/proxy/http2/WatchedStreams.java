package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.http2.hpack.Fields;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A connection whose user writes down what it is told, and does what a test says. */
final class WatchedStreams implements StreamEvents {
  /** What their event loop may hold. */
  static final int MAX_HELD_BYTES = 32 << 20;

  /** The owner of one stream, which writes down what it is told. */
  private final class Stream implements StreamOwner {
    private final int slot;
    private final int id;

    Stream(int slot, int id) {
      this.slot = slot;
      this.id = id;
    }

    @Override
    public int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream) {
      tell(
          "data "
              + id
              + " "
              + in.toString(offset, bytes, StandardCharsets.ISO_8859_1)
              + (endStream ? " end" : ""));
      return holds ? bytes : 0;
    }

    @Override
    public void trailersReceived(FieldBlock fields) {
      tell("trailers " + id + " " + String.join(", ", Fields.of(fields)));
    }

    @Override
    public void cancelled(StreamEnd how, int errorCode) {
      tell("ended " + id + " " + how + " " + ErrorCode.name(errorCode));
    }

    @Override
    public void bytesSent(int bytes) {
      tell("sent " + id + " " + bytes);
    }
  }

  final Http2Connection connection;
  private final EmbeddedChannel channel;
  private final List<String> told = new ArrayList<>();
  private final List<Stream> open = new ArrayList<>();
  private final AtomicLong nowNs;

  /** What the peer did wrong. */
  final CountedGlitches counted = new CountedGlitches();

  /** What of received content is held, until a test gives it back. */
  boolean holds;

  /** How long the peer waits for its answers; 0 if it does not say. */
  long patienceNs;

  /** How long the peer may take nothing of what waits, in ms; 0 for the usual time. */
  long stalledMs;

  /** What each call does besides. */
  Runnable within = () -> {};

  private WatchedStreams(Http2Loop loop, Role role, EmbeddedChannel channel, AtomicLong nowNs) {
    this.channel = channel;
    this.nowNs = nowNs;
    connection = new Http2Connection(loop, role, channel, counted, 100, this);
  }

  static WatchedStreams open(Role role) {
    return open(role, new EmbeddedChannel());
  }

  static WatchedStreams open(Role role, EmbeddedChannel channel) {
    final AtomicLong nowNs = new AtomicLong(1);
    final LoopClock clock = new LoopClock(nowNs::get);
    final Deadlines deadlines = new Deadlines(clock);
    deadlines.start(channel.eventLoop());
    channel.freezeTime();
    final WatchedStreams watched =
        new WatchedStreams(
            new Http2Loop(
                clock, deadlines, new TurnEnd(channel.eventLoop()), MAX_HELD_BYTES, 32 * 1024, 100),
            role,
            channel,
            nowNs);
    channel.pipeline().addLast(watched.connection.handler());
    return watched;
  }

  EmbeddedChannel embedded() {
    return channel;
  }

  FramePeer peer() {
    return new FramePeer(embedded());
  }

  @Override
  public long stalledNs() {
    return stalledMs == 0
        ? StreamEvents.super.stalledNs()
        : TimeUnit.MILLISECONDS.toNanos(stalledMs);
  }

  /** Lets time pass, and the deadlines be looked at. */
  void pass(long ms) {
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    embedded().advanceTimeBy(Math.max(ms, 2 * Deadlines.SWEEP_MS), TimeUnit.MILLISECONDS);
    embedded().runPendingTasks();
    embedded().runScheduledPendingTasks();
    embedded().runPendingTasks();
  }

  /** Lets time pass on the clock alone: no deadline is looked at. */
  void age(long ms) {
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /** What the user was told since this was called last. */
  List<String> told() {
    final List<String> lines = new ArrayList<>(told);
    told.clear();
    return lines;
  }

  /** The slot of a stream that has not been released. */
  int slot(int id) {
    return open.stream().filter(s -> s.id == id).findFirst().orElseThrow().slot;
  }

  /** Opens a stream, and sends a head on it. */
  int request(boolean endStream) {
    final int slot = connection.open(null);
    final Stream stream = new Stream(slot, connection.id(slot));
    open.add(stream);
    connection.owner(slot, stream);
    head(stream.id, endStream, ":method: GET", ":scheme: http", ":path: /", ":authority: x");
    return stream.id;
  }

  void head(int id, boolean endStream, String... lines) {
    final ByteBuf block = block(lines);
    connection.sendHead(slot(id), block, block.readableBytes(), endStream);
  }

  void trailers(int id, String... lines) {
    connection.sendTrailers(slot(id), block(lines));
  }

  private static ByteBuf block(String... lines) {
    final HpackEncoder encoder = new HpackEncoder();
    for (String line : lines) {
      final int colon = line.indexOf(": ", 1);
      encoder.add(line.substring(0, colon), line.substring(colon + 2));
    }
    return Unpooled.wrappedBuffer(encoder.bytes());
  }

  int data(int id, boolean endStream, String content) {
    return connection.sendData(
        slot(id), Unpooled.wrappedBuffer(content.getBytes(StandardCharsets.ISO_8859_1)), endStream);
  }

  void letGo(int id) {
    connection.release(slot(id));
    open.removeIf(s -> s.id == id);
  }

  /** Lets go of all that has not been let go of. */
  void letGoOfAll() {
    List.copyOf(open).forEach(stream -> letGo(stream.id));
  }

  private void tell(String line) {
    told.add(line);
    within.run();
  }

  @Override
  public void headReceived(int stream, FieldBlock fields, boolean endStream) {
    if (connection.role == Role.SERVER) {
      open.add(new Stream(stream, connection.id(stream)));
      connection.owner(stream, open.get(open.size() - 1));
      if (patienceNs > 0) {
        connection.expectReset(stream, patienceNs);
      }
    }
    final int length = fields.find(FieldKind.CONTENT_LENGTH, 0);
    if (length >= 0) {
      connection.expectContent(stream, Long.parseLong(Fields.value(fields, length)));
    }
    tell(
        "head "
            + connection.id(stream)
            + " "
            + String.join(", ", Fields.of(fields))
            + (fields.tooLarge() ? " and more" : "")
            + (endStream ? " end" : ""));
  }

  @Override
  public void goAwayReceived(int errorCode) {
    tell("goaway " + ErrorCode.name(errorCode));
  }

  @Override
  public void connectionEnded() {
    tell("connection ended");
  }
}
