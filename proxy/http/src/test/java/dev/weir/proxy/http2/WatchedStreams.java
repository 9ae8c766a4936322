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
final class WatchedStreams extends Http2Connection {
  /** What their event loop may hold. */
  static final int MAX_HELD_BYTES = 32 << 20;

  /** What a stream has been given as its user. */
  record Stream(int slot, int id) {}

  private final List<String> told = new ArrayList<>();
  private final List<Stream> open = new ArrayList<>();
  private final AtomicLong nowNs;

  /** What the peer did wrong. */
  final CountedGlitches counted;

  /** What of received content is held, until a test gives it back. */
  boolean holds;

  /** How long the peer waits for its answers; 0 if it does not say. */
  long patienceNs;

  /** How long the peer may take nothing of what waits, in ms; 0 for the usual time. */
  long stalledMs;

  /** What each call does besides. */
  Runnable within = () -> {};

  private WatchedStreams(Http2Loop loop, Role role, EmbeddedChannel channel, AtomicLong nowNs) {
    super(loop, role, channel, new CountedGlitches(), 100);
    this.counted = (CountedGlitches) observer;
    this.nowNs = nowNs;
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
    final WatchedStreams connection =
        new WatchedStreams(
            new Http2Loop(
                clock, deadlines, new TurnEnd(channel.eventLoop()), MAX_HELD_BYTES, 32 * 1024, 100),
            role,
            channel,
            nowNs);
    channel.pipeline().addLast(connection);
    connection.start();
    return connection;
  }

  EmbeddedChannel embedded() {
    return (EmbeddedChannel) channel;
  }

  FramePeer peer() {
    return new FramePeer(embedded());
  }

  @Override
  protected long stalledNs() {
    return stalledMs == 0 ? super.stalledNs() : TimeUnit.MILLISECONDS.toNanos(stalledMs);
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
    return open.stream().filter(s -> s.id() == id).findFirst().orElseThrow().slot();
  }

  /** Opens a stream, and sends a head on it. */
  int request(boolean endStream) {
    final int slot = open(this);
    final Stream stream = new Stream(slot, id(slot));
    open.add(stream);
    user(slot, stream);
    head(stream.id(), endStream, ":method: GET", ":scheme: http", ":path: /", ":authority: x");
    return stream.id();
  }

  void head(int id, boolean endStream, String... lines) {
    final ByteBuf block = block(lines);
    sendHead(slot(id), block, block.readableBytes(), endStream);
  }

  void trailers(int id, String... lines) {
    sendTrailers(slot(id), block(lines));
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
    return sendData(
        slot(id), Unpooled.wrappedBuffer(content.getBytes(StandardCharsets.ISO_8859_1)), endStream);
  }

  void letGo(int id) {
    release(slot(id));
    open.removeIf(s -> s.id() == id);
  }

  /** Lets go of all that has not been let go of. */
  void letGoOfAll() {
    List.copyOf(open).forEach(stream -> letGo(stream.id()));
  }

  private void tell(String line) {
    told.add(line);
    within.run();
  }

  @Override
  protected void headReceived(int stream, FieldBlock fields, boolean endStream) {
    if (role == Role.SERVER) {
      open.add(new Stream(stream, id(stream)));
      user(stream, open.get(open.size() - 1));
      if (patienceNs > 0) {
        expectReset(stream, patienceNs);
      }
    }
    final int length = fields.find(FieldKind.CONTENT_LENGTH, 0);
    if (length >= 0) {
      expectContent(stream, Long.parseLong(Fields.value(fields, length)));
    }
    tell(
        "head "
            + id(stream)
            + " "
            + String.join(", ", Fields.of(fields))
            + (fields.tooLarge() ? " and more" : "")
            + (endStream ? " end" : ""));
  }

  @Override
  protected int dataReceived(int stream, ByteBuf in, int offset, int bytes, boolean endStream) {
    tell(
        "data "
            + id(stream)
            + " "
            + in.toString(offset, bytes, StandardCharsets.ISO_8859_1)
            + (endStream ? " end" : ""));
    return holds ? bytes : 0;
  }

  @Override
  protected void trailersReceived(int stream, FieldBlock fields) {
    tell("trailers " + id(stream) + " " + String.join(", ", Fields.of(fields)));
  }

  @Override
  protected void streamEnded(int stream, StreamEnd how, int errorCode) {
    tell("ended " + id(stream) + " " + how + " " + ErrorCode.name(errorCode));
  }

  @Override
  protected void bytesSent(int stream, int bytes) {
    tell("sent " + id(stream) + " " + bytes);
  }

  @Override
  protected void goAwayReceived(int errorCode) {
    tell("goaway " + ErrorCode.name(errorCode));
  }

  @Override
  protected void connectionEnded() {
    tell("connection ended");
  }
}
