package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.downstream.ClientConnection;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientTimer;
import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.ClientSide;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.Resets;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;

/**
 * One client's HTTP/1.1 connection. Reads requests one after the other, starts a {@link
 * ProxiedRequest} for each, and writes the response, the service's or a refusal. Bytes of the next
 * request wait until the response has ended.
 *
 * <p>All reading is in {@link #readRequests}. A fault of a request ends in {@link #answer} before
 * the response has begun, and in {@link #reset} after that; an unexpected exception ends in {@link
 * #failed}.
 */
public final class Http1Connection extends InboundHandler implements ClientConnection, ClientSide {
  private enum State {
    /** Between two requests, or within a head. */
    HEAD,
    /** A request is in flight. */
    REQUEST,
    /** The last response is being sent; input is discarded. */
    CLOSING
  }

  private final Http1ClientLoop shared;
  private final ClientLoop loop;
  private final Channel channel;
  private final HeadReader heads;
  private final ClientTimer timer;
  private final ConnectionEnd end;
  private final ProxiedRequest request;
  private final RequestBody body;
  private final ResponseWriter response;
  private final UntakenAnswers.Answers untaken;
  private final KeptInput.Input input;

  private State state = State.HEAD;
  private ByteBuf in;
  private boolean isReading;

  /** Bytes of memory of the encoded head, while it waits. */
  private int waitingHeadBytes;

  private boolean headStarted;
  private boolean keepAlive;
  private boolean isTunnel;
  private boolean headMethod;
  private GrpcContentType grpcType = GrpcContentType.NONE;

  /**
   * @param timer is running, for the first request to arrive, or to be complete.
   * @param headStarted whether the first bytes of the connection have arrived.
   */
  public Http1Connection(
      Http1ClientLoop shared, Channel channel, Peer peer, ClientTimer timer, boolean headStarted) {
    this.shared = shared;
    this.loop = shared.clients;
    this.channel = channel;
    this.heads = new HeadReader(shared, peer);
    this.request = new ProxiedRequest(loop.requests, this);
    this.body = new RequestBody(shared, request);
    this.response = new ResponseWriter(shared, channel);
    this.timer = timer;
    this.headStarted = headStarted;
    timer.owner(this);
    this.end = new ConnectionEnd(loop, channel, timer);
    this.untaken = shared.untaken.new Answers(channel, this::closeUnread);
    this.input = shared.input.new Input(channel, this::refuseInput);
  }

  @Override
  public Protocol protocol() {
    return Protocol.HTTP1;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    loop.clock.tick();
    if (state == State.CLOSING) {
      end.discard(bytes);
    } else {
      in = ChannelIo.append(in, bytes);
      readRequests();
    }
  }

  /** The client has closed its output, and can still read responses. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event != ChannelInputShutdownEvent.INSTANCE) {
      return;
    }
    loop.clock.tick();
    if (!end.outputEnding() && Resets.hasEnded(channel)) {
      end.atOnce(); // a reset
      return;
    }
    end.inputHasEnded();
    switch (state) {
      case HEAD -> readRequests();
      case REQUEST -> {
        // A request that is whole goes on.
        if (expectsBytes()) {
          giveBody();
        }
      }
      case CLOSING -> {
        // Nothing of it is awaited.
      }
    }
  }

  /**
   * Reads requests as long as there are bytes, and responses that can be written without waiting.
   * Writing a response may make the channel report that it is writable again: within this call,
   * that does not start another read.
   */
  private void readRequests() {
    if (isReading) {
      return;
    }
    isReading = true;
    try {
      readAll();
    } catch (RuntimeException | Error bug) {
      failed(bug);
    } finally {
      isReading = false;
    }
    if (in != null && (state == State.CLOSING || !in.isReadable())) {
      in.release();
      in = null;
    }
    if (!response.awaitsFlush()) {
      ChannelIo.flush(channel);
    }
    if (state == State.HEAD && !channel.isWritable()) {
      timer.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
    }
    adjustReading();
    if (state == State.HEAD && channel.isWritable() && (end.inputEnded() || loop.draining())) {
      endBetweenRequests();
    }
  }

  private void readAll() {
    boolean advanced = true;
    while (advanced && in != null && in.isReadable()) {
      advanced =
          switch (state) {
            // Answers that pile up are waited for: no more until the client takes them.
            case HEAD -> channel.isWritable() && readHead();
            case REQUEST -> readBody();
            case CLOSING -> false;
          };
    }
  }

  /** Ends the connection between two requests, as no complete request will follow. */
  private void endBetweenRequests() {
    if (heads.awaitsHead(in)) {
      closeAfterAnswer();
    } else if (end.inputEnded()) {
      refuseHead(RefusalReason.INCOMPLETE_REQUEST);
    }
  }

  /** Reads a head and asks for its verdict; false if nothing more can be read now. */
  private boolean readHead() {
    assert !loop.requests.asking() : "a head is scanned within the question of another request";
    int length = heads.read(in);
    if (length == RequestHead.INCOMPLETE) {
      if (!headStarted && !heads.awaitsHead(in)) {
        headStarted = true;
        timer.within(loop.clock.nowNs(), loop.settings.timeouts().headNs());
      }
      return false;
    }
    headStarted = false;
    if (length == RequestHead.REFUSED) {
      refuseHead(heads.fault());
      return false;
    }
    return startRequest(shared.head, length);
  }

  private boolean startRequest(RequestHead head, int length) {
    loop.observer.requestStarted(Protocol.HTTP1);
    state = State.REQUEST;
    waitingHeadBytes = 0;
    isTunnel = false;
    timer.never();
    keepAlive = head.keepAlive() && !loop.draining();
    headMethod = head.headMethod();
    grpcType = mayBeCall(head) ? GrpcContentType.of(head.view()) : GrpcContentType.NONE;
    body.start(head);
    response.start(head);
    Verdict refusal = request.start(head);
    in.skipBytes(length);
    if (refusal != null) {
      answer(refusal);
    } else if (expectsBytes()) {
      readBody();
    }
    return state == State.HEAD;
  }

  /**
   * Passes on the bytes of the body, or of the tunnel, that have arrived; false if nothing more can
   * be read now.
   */
  private boolean readBody() {
    if (!expectsBytes()) {
      return false;
    }
    Verdict refusal;
    if (isTunnel) {
      request.data(in == null ? Unpooled.EMPTY_BUFFER : in, end.inputEnded());
      in = null;
      refusal = request.bodyRead(false);
    } else {
      ByteBuf bytes = in;
      RequestBody.Progress progress = body.forward(bytes, shared.window);
      if (progress == RequestBody.Progress.TOOK_ALL) {
        in = null;
      }
      refusal =
          progress == RequestBody.Progress.MALFORMED
              ? request.abort(RefusalReason.MALFORMED_CHUNK)
              : request.bodyRead(end.inputEnded() && !body.complete());
    }
    if (refusal != null) {
      answer(refusal);
    }
    return state == State.HEAD;
  }

  @Override
  public void giveBody() {
    readBody();
    readRequests();
  }

  @Override
  public void headWaits(int bytes) {
    waitingHeadBytes = bytes;
    countInput();
  }

  @Override
  public void requestConsumed(int bytes) {
    adjustReading();
  }

  /** Reads from the client if there is room for its bytes. */
  private void adjustReading() {
    countInput();
    boolean read =
        switch (state) {
          case HEAD -> channel.isWritable();
          case REQUEST -> readsOn();
          case CLOSING -> true;
        };
    if (channel.isOpen() && !end.inputEnded() && channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
    }
  }

  private boolean readsOn() {
    if (!expectsBytes()) {
      return in == null; // requests behind this one wait at the client
    }
    return !request.isForwarding() || request.requestHeldBytes() == 0;
  }

  /** Whether the next bytes belong to the body or the tunnel, and can be passed on now. */
  private boolean expectsBytes() {
    return (isTunnel || !body.complete()) && request.takesBody();
  }

  private void countInput() {
    input.keep(inputBytes());
  }

  /** Memory of the input that waits. */
  private int inputBytes() {
    int bytes = in == null ? 0 : in.capacity();
    return state == State.REQUEST
        ? bytes + waitingHeadBytes + request.gatheredMemoryBytes()
        : bytes;
  }

  /**
   * Refuses the request of this connection, as the input of all connections together takes too much
   * memory.
   */
  private void refuseInput() {
    if (inputBytes() == 0) {
      return; // it has gone on meanwhile
    }
    loop.clock.tick();
    try {
      switch (state) {
        case HEAD -> {
          if (channel.isWritable()) {
            refuseHead(RefusalReason.TOO_MANY_IN_FLIGHT);
          } else {
            closeUnread();
          }
        }
        case REQUEST -> {
          keepAlive = false;
          Verdict refusal = request.abort(RefusalReason.TOO_MANY_IN_FLIGHT);
          if (refusal != null) {
            answer(refusal);
          }
        }
        case CLOSING -> {
          // The connection keeps nothing any more.
        }
      }
    } catch (RuntimeException | Error bug) {
      failed(bug);
    }
  }

  @Override
  public void sayContinue() {
    response.sayContinue();
  }

  @Override
  public int informational(IncomingResponse head) {
    return held(response.informational(head));
  }

  @Override
  public void switched(IncomingResponse head) {
    isTunnel = true;
    keepAlive = false;
    response.switchingProtocols(head);
  }

  @Override
  public BodyForm responseHead(IncomingResponse head, PassedLimit limit, boolean wantsContent) {
    keepAlive &= body.complete() && !loop.draining();
    BodyForm form = response.head(head, limit, wantsContent, headMethod, keepAlive);
    keepAlive &= !response.endsWithConnection();
    return form;
  }

  @Override
  public int responseData(ByteBuf bytes, boolean last) {
    int length = bytes.readableBytes();
    response.body(bytes);
    if (!last) {
      return held(length);
    }
    if (isTunnel) {
      end.endOutput();
    } else {
      response.complete();
    }
    return 0;
  }

  /**
   * Ignores trailers: those of a body in its own framing are within the body, and HTTP/1.0 has
   * none.
   */
  @Override
  public void responseTrailers(RequestView fields) {
    response.complete(fields);
  }

  /**
   * How many of the bytes just written count as held: all, if the client has unread bytes above its
   * mark.
   */
  private int held(int length) {
    return channel.isWritable() ? 0 : length;
  }

  @Override
  public void flushResponse() {
    response.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    boolean writable = channel.isWritable();
    untaken.look();
    if (state != State.REQUEST) {
      untaken.written();
    }
    if (state == State.HEAD && !isReading) {
      awaitNextRequest(writable);
    } else if (state == State.REQUEST && writable && request.responseHeldBytes() > 0) {
      request.responseConsumed(request.responseHeldBytes());
    }
  }

  /**
   * The client has begun to read its responses again, or has stopped: continues, or sets a
   * deadline.
   */
  private void awaitNextRequest(boolean writable) {
    if (!writable) {
      timer.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
    } else {
      timer.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
      headStarted = false;
      readRequests();
    }
  }

  @Override
  public void ended() {
    untaken.written();
    if (keepAlive && body.complete()) {
      state = State.HEAD;
      timer.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
      readRequests();
    } else {
      closeAfterAnswer();
    }
  }

  @Override
  public void refuse(Verdict verdict) {
    answer(verdict);
    readRequests(); // there may be another one behind
  }

  /** Refuses a head for which no request has started. */
  private void refuseHead(RefusalReason reason) {
    loop.observer.requestStarted(Protocol.HTTP1);
    loop.observer.refused(reason);
    loop.observer.requestEnded();
    headMethod = false;
    grpcType = GrpcContentType.NONE;
    keepAlive = false;
    answer(loop.requests.plain(reason));
  }

  private void answer(Verdict verdict) {
    keepAlive &=
        verdict.refusal().keepsConnection()
            && !loop.draining()
            && body.skip(in, request.expectsContinue());
    ChannelIo.write(channel, refusal(verdict));
    if (keepAlive) {
      state = State.HEAD;
      timer.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
    } else {
      closeAfterAnswer();
    }
  }

  /**
   * Whether the request may be a gRPC call: a call has content, and the type of other requests is
   * not read.
   */
  private boolean mayBeCall(RequestHead head) {
    return shared.forwards && (head.hasBody() || head.contentLength() == 0);
  }

  private ByteBuf refusal(Verdict verdict) {
    return grpcType.isWeb()
        ? shared.refusals.writeGrpcWeb(
            channel.alloc(), verdict, grpcType, !keepAlive, response.http10())
        : shared.refusals.write(
            channel.alloc(), verdict, !keepAlive, response.http10(), headMethod);
  }

  private void closeAfterAnswer() {
    state = State.CLOSING;
    if (in != null && !isReading) {
      in.release();
      in = null;
    }
    countInput();
    end.inOrder();
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    state = State.CLOSING;
    if (how == RequestEnd.How.TIMED_OUT) {
      countUnread();
    }
    end.atOnce();
  }

  @Override
  public void drain() {
    if (state == State.HEAD && heads.awaitsHead(in)) {
      closeAfterAnswer();
    }
  }

  @Override
  public void close() {
    if (state == State.HEAD && end.nothingIsUnsent()) {
      channel.close();
    } else {
      end.atOnce();
    }
  }

  /** Closes this connection, and counts it if its client has not read its responses. */
  private void closeUnread() {
    countUnread();
    close();
  }

  private void countUnread() {
    if (!end.nothingIsUnsent()) {
      loop.observer.responseUnread();
    }
  }

  @Override
  public void onDeadline() {
    switch (state) {
      case HEAD -> {
        if (headStarted) {
          refuseHead(RefusalReason.HEAD_TIMEOUT);
        } else if (channel.isWritable()) {
          closeAfterAnswer();
        } else {
          close(); // the client does not take its answers
        }
      }
      case REQUEST -> {
        // The request has a time of its own.
      }
      case CLOSING -> closeUnread();
    }
  }

  /**
   * Closes this connection after an unexpected exception, without a response: it is unknown how
   * much of one the client has received.
   */
  @Override
  public void failed(Throwable bug) {
    InternalErrors.caught("a client's connection", bug);
    timer.never();
    end.reset();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    timer.leave();
    untaken.end();
    state = State.CLOSING;
    request.clientGone(RequestEnd.NO_CODE);
    if (in != null && !isReading) {
      in.release();
      in = null;
    }
    countInput();
    body.discard();
    response.discard();
    loop.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      end.atOnce(); // a reset, or a failed write: nothing is left to tell this client
    } else {
      failed(cause);
    }
  }
}
