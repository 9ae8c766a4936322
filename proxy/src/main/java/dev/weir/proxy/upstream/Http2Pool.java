package dev.weir.proxy.upstream;

import dev.weir.proxy.grpc.GrpcTimeout;
import dev.weir.proxy.http.BodyForm;
import dev.weir.proxy.http.EncodedHead;
import dev.weir.proxy.http.IncomingRequest;
import dev.weir.proxy.http.Origin;
import dev.weir.proxy.http.ProxiedRequest;
import dev.weir.proxy.http.ServiceSide;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.Http2Observer;
import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.http2.message.RequestHeadWriter;
import dev.weir.proxy.http2.message.ResponseHead;
import dev.weir.proxy.http2.message.TrailerWriter;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TrafficObserver;
import dev.weir.proxy.tls.UpstreamTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The connections of one event loop to a service of HTTP/2, few, with many exchanges each. The
 * fullest that has room is used, so that its turns are full too and others go idle; another is made
 * before all are full. Not thread-safe.
 *
 * <p>A request that finds neither room nor its client's share of it waits in a queue, and so does
 * one for which the first connection is being made. Whoever waits is served in a task of its own:
 * nobody is handed a stream within the call of another client.
 */
public final class Http2Pool implements Origin {
  /** Who comes first waits for the first connection: there are always places for that. */
  private static final int LEAST_QUEUE = PeerSettings.MOST_STREAMS;

  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private final UpstreamSettings settings;
  private final UpstreamAddresses addresses;
  private final Executor tasks;
  private final LoopClock clock;
  private final Deadlines deadlines;
  private final TrafficObserver observer;
  private final Http2Loop http2;
  private final Http2Observer http2Observer;
  private final Consumer<UpstreamConnector.Attempt> connector;
  private final RequestHeadWriter headWriter;
  private final TrailerWriter trailerWriter = new TrailerWriter();
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final TurnOfCalls turn;
  private final byte[] timeText = new byte[GrpcTimeout.MAX_BYTES];

  /** Those that are not about to end, in the order in which they were made. */
  private final List<Http2Upstream> connections = new ArrayList<>();

  private final FairCap streams;
  private final UpstreamQueue<Http2Call> queue;
  private final QueueDeadline queueDeadline;
  private final ArrayDeque<Http2Call> freeCalls = new ArrayDeque<>();
  private final Runnable serve = this::serveQueue;

  /** The connection that is being made; null if none is. */
  private Attempt attempt;

  /** Who takes connections of HTTP/1.1; null if all speak HTTP/2. */
  private OtherPool otherPool;

  /** What {@link #open} has found. */
  private Http2Call opened;

  /** Whether the service has not spoken HTTP/2 when it was asked last. */
  private boolean isNoHttp2;

  /** Whether those who wait are about to be served: nobody is to come before them. */
  private boolean serving;

  /**
   * @param authority what to say as authority for clients that gave none.
   * @param tls with the service; null if it is spoken to in the clear.
   */
  public Http2Pool(
      UpstreamSettings settings,
      UpstreamAddresses addresses,
      Transport transport,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      Http2Loop http2,
      TrafficObserver observer,
      Http2Observer http2Observer,
      String authority,
      UpstreamTls tls) {
    this(
        settings,
        addresses,
        eventLoop,
        clock,
        deadlines,
        http2,
        observer,
        http2Observer,
        authority,
        tls != null,
        handlers ->
            new UpstreamConnector(
                    settings, addresses, transport, eventLoop, observer, tls, handlers)
                ::connect);
  }

  /**
   * @param tasks runs what is not to run within a call, on the event loop.
   * @param isSecure whether connections are encrypted.
   * @param connector gives, for what makes the handlers of channels, who makes connections.
   */
  Http2Pool(
      UpstreamSettings settings,
      UpstreamAddresses addresses,
      Executor tasks,
      LoopClock clock,
      Deadlines deadlines,
      Http2Loop http2,
      TrafficObserver observer,
      Http2Observer http2Observer,
      String authority,
      boolean isSecure,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    this.settings = settings;
    this.addresses = addresses;
    this.tasks = tasks;
    this.clock = clock;
    this.deadlines = deadlines;
    this.http2 = http2;
    this.observer = observer;
    this.http2Observer = http2Observer;
    turn = new TurnOfCalls(http2.turnEnd());
    streams = new FairCap(settings.caps().http2Connections() * PeerSettings.MOST_STREAMS);
    queue = new UpstreamQueue<>(Math.max(settings.caps().queue(), LEAST_QUEUE));
    queueDeadline = new QueueDeadline(queue, this::refuseOverdue);
    deadlines.join(queueDeadline);
    headWriter = new RequestHeadWriter(authority, isSecure);
    this.connector = connector.apply(channel -> new Http2Upstream(this, channel));
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return !queue.hasRoom(client) && (serving || !streams.hasRoom(client) || find() == null);
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
    ByteBuf block = headWriter.write(incoming, ByteBufAllocator.DEFAULT);
    out.set(block, incoming, BodyForm.DATA);
    out.isBlock(headWriter.timeoutOffset());
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    if (!serving && streams.hasRoom(client)) {
      Http2Upstream connection = find();
      if (connection != null) {
        opened = newCall(request, client);
        attach(opened, connection);
        return Opening.OPENED;
      }
    }
    if (!queue.hasRoom(client)) {
      return Opening.BUSY;
    }
    enqueue(newCall(request, client));
    return Opening.QUEUED;
  }

  @Override
  public ServiceSide opened() {
    return opened;
  }

  private Http2Call newCall(ProxiedRequest request, long client) {
    Http2Call call = freeCalls.pollFirst();
    if (call == null) {
      call = new Http2Call(this);
    }
    call.start(request, client);
    return call;
  }

  private void enqueue(Http2Call call) {
    queue.add(call, call.client(), clock.nowNs() + settings.timeouts().queueNs());
    queueDeadline.follow();
    observer.upstreamWaitBegun();
    connectIfNeeded();
  }

  private void attach(Http2Call call, Http2Upstream connection) {
    streams.take(call.client());
    connection.stay();
    call.opened(connection, connection.open(call));
    if (connection.isCrowded(turn.number())) {
      connectIfNeeded();
    }
  }

  /** The fullest connection that has room; null if none has. */
  private Http2Upstream find() {
    Http2Upstream fullest = null;
    for (int i = connections.size() - 1; i >= 0; i--) {
      Http2Upstream connection = connections.get(i);
      if (connection.targets() != addresses.current()) {
        connections.remove(i);
        connection.drain();
      } else if (connection.hasRoom()
          && (fullest == null || connection.streamCount() >= fullest.streamCount())) {
        fullest = connection;
      }
    }
    return fullest;
  }

  /**
   * Has another connection made, if there may be one more, and none is being made or has still to
   * say what it allows.
   */
  private void connectIfNeeded() {
    if (attempt != null || connections.size() >= settings.caps().http2Connections()) {
      return;
    }
    for (int i = 0; i < connections.size(); i++) {
      if (!connections.get(i).isSettled()) {
        return;
      }
    }
    attempt = new Attempt();
    connector.accept(attempt);
  }

  /** A connection that is being made. */
  private final class Attempt extends UpstreamConnector.Attempt {
    @Override
    boolean isWanted() {
      return queue.size() > 0;
    }

    @Override
    boolean speaks(String protocol) {
      return otherPool == null || AlpnOrigin.HTTP2.equals(protocol);
    }

    @Override
    void speaksOther(Channel channel) {
      attempt = null;
      otherPool.take(channel, targets());
      serveSoon();
    }

    @Override
    void connected(Channel channel) {
      attempt = null;
      observer.upstreamOpened();
      Http2Upstream connection = channel.pipeline().get(Http2Upstream.class);
      if (connection == null || !channel.isActive()) {
        lost(RefusalReason.UPSTREAM_CLOSED); // within the same turn
        return;
      }
      connection.madeTo(targets());
      connections.add(connection);
      serveSoon();
    }

    @Override
    void failed(RefusalReason reason) {
      attempt = null;
      lost(reason);
    }
  }

  /** Who takes connections over which another protocol was agreed on. */
  interface OtherPool {
    /** Takes a connection over, which nobody reads. */
    void take(Channel channel, SocketAddress[] targets);
  }

  /** What takes a request over that waited here. */
  interface Taker {
    void take(ProxiedRequest request, long client);
  }

  /** Names who takes connections over which HTTP/1.1 was agreed on. */
  void onHttp1(OtherPool pool) {
    otherPool = pool;
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return find() != null;
  }

  /** How many requests wait. */
  int waiting() {
    return queue.size();
  }

  /** Hands the first request over that waits. */
  void handOver(Taker taker) {
    Http2Call call = leaveQueue(0);
    ProxiedRequest request = call.request();
    long client = call.client();
    if (call.isSentAgain()) {
      call.fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE); // it is not kept in HTTP/1.1
    } else {
      call.forgotten();
      taker.take(request, client);
    }
  }

  /**
   * There is one connection less than was hoped for: who waits, waits for others, or in vain if
   * there are none.
   */
  private void lost(RefusalReason reason) {
    if (connections.isEmpty() && attempt == null) {
      for (int left = queue.size(); left > 0 && queue.size() > 0; left--) {
        leaveQueue(0).fail(reason, RequestEnd.NO_CODE);
      }
    }
    serveSoon();
  }

  @Override
  public void forget(ProxiedRequest request) {
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).request() == request) {
        leaveQueue(i).forgotten();
        return;
      }
    }
  }

  /** There may be room for those who wait. */
  private void serveSoon() {
    if (queue.size() > 0 && !serving) {
      serving = true;
      tasks.execute(serve);
    }
  }

  private void serveQueue() {
    clock.tick();
    try {
      for (int i = 0; i < queue.size(); ) {
        Http2Upstream connection = find();
        if (connection == null) {
          connectIfNeeded();
          break;
        }
        if (streams.hasRoom(queue.client(i))) {
          serve(leaveQueue(i), connection);
          i = 0; // others may have left the queue, or joined it, within the call
        } else {
          i++;
        }
      }
    } finally {
      serving = false;
    }
  }

  private void serve(Http2Call call, Http2Upstream connection) {
    attach(call, connection);
    if (call.isSentAgain()) {
      call.sendAgain();
    } else {
      call.request().opened(call);
    }
  }

  private Http2Call leaveQueue(int index) {
    Http2Call call = queue.remove(index);
    queueDeadline.follow();
    observer.upstreamWaitEnded();
    return call;
  }

  /** While there is no connection, whoever makes one ends the wait. */
  private void refuseOverdue() {
    while (queue.size() > 0 && queue.firstDeadlineNs() <= clock.nowNs()) {
      leaveQueue(0).fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }
  }

  /** A call that the service has not looked at is to be sent once more, if there is a way. */
  void sendAgain(Http2Call call) {
    if (queue.hasRoom(call.client())) {
      enqueue(call);
      serveSoon();
    } else {
      call.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }
  }

  /** A call is no longer on a connection. */
  void streamLeft(Http2Call call, Http2Upstream connection) {
    streams.leave(call.client());
    if (connection.streamCount() == 0 && connections.indexOf(connection) > 0) {
      connection.idle();
    }
  }

  /** A call has ended, wherever it was. */
  void ended(Http2Call call) {
    int waiting = call.isSentAgain() ? queue.indexOf(call) : -1;
    if (waiting >= 0) {
      leaveQueue(waiting);
    }
    freeCalls.addFirst(call);
  }

  /** A service does not speak HTTP/2; whether that is to be told, as it did before. */
  boolean isNewNoHttp2() {
    boolean isNew = !isNoHttp2;
    isNoHttp2 = true;
    return isNew;
  }

  /** The service has said what it allows on a connection. */
  void settled(Http2Upstream connection) {
    isNoHttp2 = false;
    int mostStreams = connection.peerSettings().maxStreams();
    streams.cap(Math.max(1, settings.caps().http2Connections() * mostStreams));
    serveSoon();
  }

  void roomChanged() {
    serveSoon();
  }

  /** A connection takes no more streams; those that it has go on. */
  void goingAway(Http2Upstream connection) {
    if (connections.remove(connection)) {
      replaceForThoseWhoWait();
    }
  }

  /** A connection has no stream for long, or has not said in time what it allows. */
  void timeIsUp(Http2Upstream connection) {
    if (connection.isSettled()) {
      if (connection.streamCount() == 0 && connections.indexOf(connection) > 0) {
        connections.remove(connection);
        connection.drain();
      }
    } else {
      connection.close();
    }
  }

  void closed(Http2Upstream connection) {
    observer.upstreamClosed();
    if (connections.remove(connection)) {
      if (connection.isSettled()) {
        replaceForThoseWhoWait();
      } else {
        lost(connection.failure());
      }
    }
  }

  private void replaceForThoseWhoWait() {
    if (queue.size() > 0) {
      connectIfNeeded();
    }
    serveSoon();
  }

  /** Closes what has no stream: the process is ending. */
  @Override
  public void closeIdle() {
    for (Http2Upstream connection : List.copyOf(connections)) {
      connection.drain();
    }
  }

  /** The block of a head, with what is left of its time if it has waited here. */
  ByteBuf finish(EncodedHead encoded) {
    int timeoutOffset = encoded.timeoutOffset();
    long timeLeftNs = encoded.timeLeftNs();
    ByteBuf block = encoded.take();
    if (timeoutOffset >= 0 && timeLeftNs != EncodedHead.AS_RECEIVED) {
      block.writerIndex(block.readerIndex() + timeoutOffset);
      headWriter.writeTimeout(timeText, GrpcTimeout.write(timeLeftNs, timeText), block);
    }
    return block;
  }

  /** A block of trailers, the caller's to release. */
  ByteBuf trailers(RequestView fields) {
    return trailerWriter.write(fields, ByteBufAllocator.DEFAULT);
  }

  void told(Http2Call call) {
    turn.told(call);
  }

  long turn() {
    return turn.number();
  }

  Http2Loop http2() {
    return http2;
  }

  Http2Observer http2Observer() {
    return http2Observer;
  }

  LoopClock clock() {
    return clock;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** Reads the heads of all connections of this loop, one at a time. */
  ResponseHead head() {
    return head;
  }

  long connectTimeoutNs() {
    return settings.timeouts().connectNs();
  }

  long responseTimeoutNs() {
    return settings.timeouts().responseNs();
  }
}
