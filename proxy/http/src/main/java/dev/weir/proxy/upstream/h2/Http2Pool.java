package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.FairCap;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.WaitingRequests;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The exchanges of one event loop with a service of HTTP/2: many share one of its few connections.
 * The fullest that has room is used, so that its turns are full too and others go idle; another is
 * made before all are full. Not thread-safe.
 *
 * <p>A request that finds neither room nor its client's share of it waits, and so does one for
 * which the first connection is being made ({@link WaitingRequests}).
 */
final class Http2Pool implements Origin {
  /** So many calls are kept for later requests; what a peak has more of is let go of. */
  static final int MAX_KEPT = 1_000;

  /** Who comes first waits for the first connection: there are always places for that. */
  private static final int LEAST_QUEUE = PeerSettings.MOST_STREAMS;

  private final UpstreamLoop loop;
  private final Http2Messages messages;
  private final TurnOfCalls turn;
  private final Http2Connections connections;

  /** The streams of exchanges, and of those that last. */
  private final FairCap streams;

  private final LongStreams longStreams;
  private final WaitingRequests<UpstreamStream> waiting;
  private final ArrayDeque<UpstreamStream> freeCalls = new ArrayDeque<>();

  private final Consumer<UpstreamStream> lookAtCall = this::look;

  /** What {@link #open} has found. */
  private UpstreamStream opened;

  /**
   * @param connector gives, for what makes the handlers of channels, who makes connections.
   */
  Http2Pool(
      Http2UpstreamLoop http2,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    loop = http2.upstream();
    messages = http2.messages();
    turn = new TurnOfCalls(http2.connections().turnEnd());
    UpstreamCaps caps = loop.settings().caps();
    streams = new FairCap(caps.http2Connections() * PeerSettings.MOST_STREAMS);
    longStreams = new LongStreams(caps.streams());
    waiting = new WaitingRequests<>(loop, Math.max(caps.queue(), LEAST_QUEUE), new Places());
    connections = new Http2Connections(http2, new Waiters(), connector);
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return !waiting.hasRoom(client) && !waiting.maySkip(client);
  }

  @Override
  public boolean multiplexes() {
    return true;
  }

  @Override
  public boolean isScarce() {
    return streams.isScarce();
  }

  @Override
  public void encode(IncomingRequest incoming, EncodedHead out) {
    messages.encode(incoming, out);
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    boolean webSocket = request.encoded().webSocket();
    if (webSocket && !longStreams.hasRoom(client)) {
      return Opening.BUSY;
    }
    if (!waiting.maySkip(client)) {
      makeRoom();
    }
    if (waiting.maySkip(client) && suits(webSocket, client)) {
      opened = newCall(request, client);
      attach(opened);
      return Opening.OPENED;
    }
    if (!waiting.hasRoom(client)) {
      return Opening.BUSY;
    }
    enqueue(newCall(request, client));
    return Opening.QUEUED;
  }

  @Override
  public ServiceSide opened() {
    return opened;
  }

  /** Whether the stream that there is would do: for a WebSocket if the service is settled. */
  private boolean suits(boolean webSocket, long client) {
    return !webSocket || connections.withRoom().isSettled() && longStreams.hasRoom(client);
  }

  /** Has those exchanges count among the streams that last which do. */
  private void makeRoom() {
    if (longStreams.looks(loop.clock().nowNs())) {
      connections.forEachCall(lookAtCall);
      countPlaces();
    }
  }

  private void look(UpstreamStream call) {
    if (!call.isLong() && call.hasLasted() && longStreams.hasRoom(call.client())) {
      streams.leave(call.client());
      becomeLong(call);
    }
  }

  private void becomeLong(UpstreamStream call) {
    longStreams.take(call.client());
    call.isLong(true);
    loop.observer().streamOpened();
  }

  /** Those that last leave their places to others. */
  private void countPlaces() {
    streams.cap(Math.max(1, connections.places() - longStreams.count()));
  }

  private UpstreamStream newCall(ProxiedRequest request, long client) {
    UpstreamStream call = freeCalls.pollFirst();
    if (call == null) {
      call = new UpstreamStream(this);
    }
    call.start(request, client);
    return call;
  }

  private void enqueue(UpstreamStream call) {
    waiting.add(call, call.client());
    if (connections.withRoom() == null) {
      connections.makeAnother();
    }
    connections.askForPlaces();
  }

  /** Gives a call a stream; there is one. */
  private void attach(UpstreamStream call) {
    Http2Upstream connection = connections.withRoom();
    if (call.asksForWebSocket()) {
      becomeLong(call);
      countPlaces();
    } else {
      streams.take(call.client());
    }
    connection.stay();
    call.opened(connection, connection.open(call));
    if (connection.isCrowded(turn.number())) {
      connections.makeAnother();
    }
  }

  /** The streams that may be opened, and each client's share of them. */
  private final class Places implements WaitingRequests.Places<UpstreamStream> {
    @Override
    public boolean hasRoom() {
      return connections.withRoom() != null;
    }

    @Override
    public boolean hasRoom(long client) {
      return streams.hasRoom(client);
    }

    @Override
    public boolean suits(UpstreamStream call) {
      return Http2Pool.this.suits(call.asksForWebSocket(), call.client());
    }

    @Override
    public void give(UpstreamStream call, long client) {
      attach(call);
      if (call.isSentAgain()) {
        call.sendAgain();
      } else {
        call.request().opened(call);
      }
    }

    @Override
    public void refuse(UpstreamStream call) {
      call.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }

    @Override
    public void isFull() {
      connections.makeAnother();
    }
  }

  /** Those who wait, as the connections see them. */
  private final class Waiters implements Http2Connections.Owner {
    @Override
    public boolean isWaiting() {
      return waiting.size() > 0;
    }

    @Override
    public void roomChanged() {
      waiting.serveSoon();
    }

    @Override
    public void placeLeft(long client) {
      streams.leave(client);
    }

    @Override
    public void lost(RefusalReason reason) {
      waiting.removeAll(call -> call.fail(reason, RequestEnd.NO_CODE));
    }

    @Override
    public int mostConnections() {
      return loop.settings().caps().http2Connections()
          + longStreams.connections(connections.streamsOfOne());
    }

    @Override
    public void makeRoom() {
      Http2Pool.this.makeRoom();
    }

    @Override
    public void placesChanged() {
      countPlaces();
    }
  }

  /** What takes a request over that waited here. */
  interface Taker {
    void take(ProxiedRequest request, long client);
  }

  /** Names who takes connections over which HTTP/1.1 was agreed on. */
  void onHttp1(Http2Connections.OtherPool pool) {
    connections.onHttp1(pool);
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return connections.withRoom() != null;
  }

  /** Hands all requests over that wait. */
  void handOver(Taker taker) {
    waiting.removeAll(
        call -> {
          ProxiedRequest request = call.request();
          long client = call.client();
          if (call.isSentAgain()) {
            call.fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE); // HTTP/1.1 keeps none
          } else {
            call.forgotten();
            taker.take(request, client);
          }
        });
  }

  @Override
  public void forget(ProxiedRequest request) {
    for (int i = 0; i < waiting.size(); i++) {
      if (waiting.get(i).request() == request) {
        waiting.remove(i).forgotten();
        return;
      }
    }
  }

  /** A call that the service has not looked at is to be sent once more, if there is a way. */
  void sendAgain(UpstreamStream call) {
    if (waiting.hasRoom(call.client())) {
      enqueue(call);
      waiting.serveSoon();
    } else {
      call.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }
  }

  /**
   * A call is no longer on a connection.
   *
   * @param keepsPlace whether its stream was reset, and its place stays its client's until the
   *     service has seen that.
   */
  void streamLeft(UpstreamStream call, boolean keepsPlace) {
    if (call.isLong()) {
      call.isLong(false);
      longStreams.leave(call.client());
      loop.observer().streamClosed();
      streams.take(call.client()); // one of requests' places now
      countPlaces();
    }
    if (!keepsPlace) {
      streams.leave(call.client());
    }
  }

  /** A call has ended, wherever it was. */
  void ended(UpstreamStream call) {
    if (call.isSentAgain()) {
      waiting.remove(call);
    }
    if (freeCalls.size() < MAX_KEPT) {
      freeCalls.addFirst(call);
    } else {
      call.forget();
    }
  }

  /** Closes what has no stream: the process is ending. */
  @Override
  public void closeIdle() {
    connections.drain();
  }

  Http2Messages messages() {
    return messages;
  }

  void told(UpstreamStream call) {
    turn.told(call);
  }

  UpstreamLoop loop() {
    return loop;
  }
}
