package dev.weir.proxy.client;

import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestSink;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseSink;
import dev.weir.proxy.loop.Bytes;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.Resets;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One client's connection: HTTP/1.1 requests one after the other, each read, decided, and passed on
 * or answered. Bytes of the next request wait until the one before has its response.
 *
 * <p>The way of a request: {@link #readHead}, then {@link Admission#ask}; {@link #answer} or {@link
 * #pass}; {@link #gather}, {@link #upstreamReady}, {@link #forwardBody}, {@link #responseHead},
 * {@link #responseBody}, {@link #responseComplete}; and {@link #readRequests} again. Whatever goes
 * wrong on the way ends in {@link #reject} while the response has not begun, and in a cut
 * connection after; what should never have gone wrong ends in {@link #fail}.
 */
final class ClientConnection extends InboundHandler implements Asker, ResponseSink {
  /**
   * A last resort: whoever decides has deadlines of milliseconds, and tells of its own. Counts from
   * when a held request may pass.
   */
  private static final long VERDICT_NS = TimeUnit.SECONDS.toNanos(10);

  private enum State {
    /** Between two requests, or within a head. */
    HEAD,
    /** The verdict is awaited. */
    DECIDING,
    /** The request may pass, and its body is awaited, or enough of it. */
    GATHERING,
    /** An upstream connection is awaited. */
    CONNECTING,
    /** The request goes out, the response comes in. */
    EXCHANGE,
    TUNNEL,
    /** The last answer is on its way; what still comes in is thrown away. */
    CLOSING
  }

  private final ClientLoop loop;
  private final Channel channel;
  private final byte[] peerText;
  private final HeadReader heads;
  private final ClientTimer waiter;
  private final ConnectionEnd end;
  private final ResponseWriter response;
  private final RequestBody body = new RequestBody();
  private final PendingRequest pending;

  private State state = State.HEAD;
  private ByteBuf in;
  private boolean readingRequests;
  private boolean headStarted;

  // The request in flight.
  private long ticket = Admission.SETTLED;
  private int headLength;
  private RequestSink upstream;
  private boolean keepAlive;
  private boolean headMethod;
  private boolean requestSent;
  private long arrivedNs;
  private long heldNs;
  private long departedNs;

  ClientConnection(ClientLoop loop, Channel channel, IpAddress peer, boolean peerTrusted) {
    this.loop = loop;
    this.channel = channel;
    this.peerText = peer.toString().getBytes(StandardCharsets.US_ASCII);
    this.heads = new HeadReader(loop, peer, peerTrusted);
    this.response = new ResponseWriter(loop, channel);
    this.pending = new PendingRequest(loop);
    this.waiter =
        new ClientTimer() {
          @Override
          protected void onDeadline() {
            ClientConnection.this.onDeadline();
          }
        };
    this.end = new ConnectionEnd(loop, channel, waiter);
  }

  // Bytes from the client.

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    loop.opened(this);
    loop.deadlines.join(waiter);
    // One that came with the last of the backlog may still say why, but not hold up the end.
    long idleNs = loop.draining() ? ConnectionEnd.LINGER_NS : loop.settings.timeouts().idleNs();
    waiter.within(loop.clock.tick(), idleNs);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    long nowNs = loop.clock.tick();
    switch (state) {
      case CLOSING -> end.discard(bytes);
      case TUNNEL -> {
        awaitTunnel(nowNs);
        RequestSink sink = upstream;
        sink.writeBody(bytes);
        sink.flush();
        adjustReading();
      }
      default -> {
        in = Bytes.append(in, bytes);
        readRequests();
      }
    }
  }

  /** The client sends no more, and may still take its answers. */
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
      case GATHERING -> gather(false);
      case EXCHANGE -> {
        if (upstream != null && !body.complete()) {
          abortExchange(RefusalReason.INCOMPLETE_REQUEST);
        }
      }
      case TUNNEL -> {
        upstream.endTunnel();
        if (end.outputEnding()) {
          closeTunnel();
        }
      }
      case DECIDING, CONNECTING, CLOSING -> {
        // A request that is whole goes on; of one that is not, forwardBody will tell.
      }
    }
  }

  /** Reads as many requests as there are bytes for and answers that need not be waited for. */
  private void readRequests() {
    if (readingRequests) {
      return; // an answer was given within the loop below, which goes on
    }
    readingRequests = true;
    try {
      readAll();
    } catch (RuntimeException | Error bug) {
      fail(bug);
    } finally {
      readingRequests = false;
    }
    if (in != null && (state == State.CLOSING || !in.isReadable())) {
      in.release();
      in = null;
    }
    Bytes.flush(channel);
    if (state == State.HEAD && !channel.isWritable()) {
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
    }
    adjustReading();
    if (state == State.HEAD && channel.isWritable() && (end.inputEnded() || loop.draining())) {
      endBetweenRequests();
    }
  }

  /** No request will follow: there may have been one behind, and was none, or no whole one. */
  private void endBetweenRequests() {
    if (heads.awaitsHead(in)) {
      closeAfterAnswer();
    } else if (end.inputEnded()) {
      loop.observer.requestStarted();
      headMethod = false;
      reject(RefusalReason.INCOMPLETE_REQUEST);
    }
  }

  private void readAll() {
    boolean advanced = true;
    while (advanced && in != null && in.isReadable()) {
      if (state == State.HEAD && !channel.isWritable()) {
        break; // answers pile up that the client does not take: no more until it does
      }
      advanced =
          switch (state) {
            case HEAD -> readHead();
            case EXCHANGE -> {
              RequestSink sink = upstream;
              forwardBody();
              sink.flush();
              yield state == State.HEAD; // the upstream failed over it, and that is answered
            }
            case GATHERING -> {
              gather(false);
              yield state == State.HEAD;
            }
            case DECIDING, CONNECTING, TUNNEL, CLOSING -> false;
          };
    }
  }

  /** Reads a head and asks for a verdict; false if there is no whole head. */
  private boolean readHead() {
    assert !loop.asking : "a head is scanned within the question of another request";
    int length = heads.read(in);
    if (length == RequestHead.INCOMPLETE) {
      if (!headStarted && !heads.awaitsHead(in)) {
        headStarted = true;
        waiter.within(loop.clock.nowNs(), loop.settings.timeouts().headNs());
      }
      return false;
    }
    headStarted = false;
    headMethod = false;
    loop.observer.requestStarted();
    state = State.DECIDING;
    if (length == RequestHead.REFUSED) {
      reject(heads.fault());
      return false;
    }
    decide(loop.head, length);
    return state == State.HEAD;
  }

  private void decide(RequestHead head, int length) {
    headLength = length;
    keepAlive = head.keepAlive() && !loop.draining();
    headMethod = head.headMethod();
    pending.start(head);
    arrivedNs = loop.clock.nowNs();
    requestSent = false;
    body.start(head);
    response.start(head);
    waiter.never();
    if (pending.findsNoConnection()) {
      in.skipBytes(headLength);
      answer(loop.refusals.plain(RefusalReason.UPSTREAM_BUSY)); // before anything is charged for it
      return;
    }
    loop.asking = true;
    try {
      ticket = loop.admission.ask(loop.question.traffic(head.view()), this, arrivedNs);
    } finally {
      loop.asking = false;
    }
    if (ticket != Admission.SETTLED) {
      takeHead(); // the scanned head is the next request's after this turn
      waiter.within(arrivedNs, VERDICT_NS);
      return;
    }
    Verdict verdict = loop.admission.verdict();
    if (verdict.allowed()) {
      takeHead();
      pass(verdict);
    } else {
      in.skipBytes(headLength);
      answer(verdict);
    }
  }

  // The verdict, if it comes later.

  @Override
  public void decided(long ofTicket, Verdict verdict) {
    ticket = Admission.SETTLED;
    if (verdict.allowed()) {
      passLate(verdict);
    } else {
      answerLate(verdict);
    }
  }

  private void passLate(Verdict verdict) {
    waiter.never();
    try {
      if (pending.findsNoConnection()) {
        pending.keepCharge(); // the last place has gone while the verdict was on its way
      }
      pass(verdict);
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  private void answerLate(Verdict verdict) {
    try {
      answer(verdict);
      readRequests(); // there may be another one behind
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  private void pass(Verdict verdict) {
    heldNs = verdict.heldNs();
    response.limit(verdict);
    state = State.GATHERING;
    body.begin(loop.clock.nowNs());
    gather(true);
  }

  /** Turns the scanned head into the one that goes to the upstream, and leaves it behind. */
  private void takeHead() {
    pending.writeHead(channel, in, headLength, peerText);
    in.skipBytes(headLength);
  }

  // The request goes out.

  /**
   * Keeps what there is of the body; when that is enough, asks for a connection.
   *
   * @param justPassed whether the verdict is the last one that was given.
   */
  private void gather(boolean justPassed) {
    ByteBuf bytes = in;
    RequestBody.Progress progress = body.gather(bytes, loop.window);
    if (progress == RequestBody.Progress.TOOK_ALL) {
      in = null;
    }
    if (progress == RequestBody.Progress.MALFORMED) {
      reject(RefusalReason.MALFORMED_CHUNK);
    } else if (end.inputEnded() && !body.deservesConnection()) {
      reject(RefusalReason.INCOMPLETE_REQUEST);
    } else if (body.deservesConnection() || body.expectsContinue() && !continues()) {
      state = State.CONNECTING;
      waiter.never();
      if (pending.open(this) && justPassed) {
        pending.keepCharge();
      }
    } else if (body.tooSlow(
        loop.clock.nowNs(),
        loop.settings.timeouts().bodyIdleNs(),
        RequestBody.MIN_GATHERED_BYTES_PER_SECOND)) {
      reject(RefusalReason.BODY_TIMEOUT);
    } else {
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().bodyIdleNs());
      if (justPassed) {
        pending.keepCharge(); // there may be no connection when the body is there
      }
      adjustReading();
    }
  }

  /**
   * Says 100 in the service's stead, if connections are too scarce for one to wait for this body.
   * It is the service's word otherwise (RFC 9110, section 10.1.1).
   */
  private boolean continues() {
    if (!loop.origin.isScarce()) {
      return false;
    }
    body.continued();
    response.sayContinue();
    return true;
  }

  @Override
  public void upstreamReady(RequestSink sink) {
    try {
      send(sink);
    } catch (RuntimeException | Error bug) {
      fail(bug); // nobody else would: it may come in a task of its own
    }
  }

  private void send(RequestSink sink) {
    upstream = sink;
    state = State.EXCHANGE;
    pending.sendTo(sink, headMethod);
    if (upstream == sink) {
      body.passGathered(sink);
    }
    body.begin(loop.clock.nowNs());
    forwardBody();
    if (upstream != null) {
      upstream.flush();
      departedNs = loop.clock.tick();
      if (!channel.isWritable()) { // since it was told to continue: nothing else will end that
        waiter.within(departedNs, loop.settings.timeouts().writeNs());
      }
      adjustReading();
    }
  }

  private void forwardBody() {
    RequestSink sink = upstream;
    if (requestSent || sink == null) {
      return;
    }
    ByteBuf bytes = in;
    in = null; // if a write fails, whoever answers must not find what has been passed on
    RequestBody.Progress progress = body.forward(bytes, loop.window, sink);
    if (progress != RequestBody.Progress.TOOK_ALL) {
      in = bytes;
    }
    if (upstream != sink) {
      // It failed over what was written, and the request has been answered. What is left, if the
      // connection goes on, is read once this call is over.
      channel.eventLoop().execute(this::readRequests);
      return;
    }
    if (progress == RequestBody.Progress.MALFORMED) {
      abortExchange(RefusalReason.MALFORMED_CHUNK);
    } else if (body.complete()) {
      requestSent = true;
      awaitBody();
      sink.requestComplete();
    } else if (end.inputEnded()) {
      abortExchange(RefusalReason.INCOMPLETE_REQUEST);
    } else if (body.tooSlow(
        loop.clock.nowNs(),
        loop.settings.timeouts().bodyIdleNs(),
        RequestBody.MIN_FORWARDED_BYTES_PER_SECOND)) {
      abortExchange(RefusalReason.BODY_TIMEOUT);
    } else {
      awaitBody();
    }
  }

  /**
   * Gives the client its time anew where it is the rest of the body that is waited for. A client
   * that does not take the response has had its time set when it stopped, and nothing that it sends
   * meanwhile gives it more. What the upstream does not take, or not answer, it has its own time
   * for.
   */
  private void awaitBody() {
    if (!channel.isWritable()) {
      return;
    }
    if (body.complete() || !upstream.isWritable()) {
      waiter.never();
    } else {
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().bodyIdleNs());
    }
  }

  @Override
  public void upstreamWritable() {
    if (state == State.EXCHANGE && !body.complete()) {
      body.begin(loop.clock.tick()); // while the upstream did not take it, the client was not slow
      awaitBody();
    }
    adjustReading();
  }

  /** Reads from the client what there is room for. */
  private void adjustReading() {
    boolean read =
        switch (state) {
          case HEAD -> channel.isWritable();
          case GATHERING, CLOSING -> true;
          case DECIDING, CONNECTING -> buffered() < loop.settings.caps().headBytes();
          case EXCHANGE ->
              upstream == null
                  || (body.complete()
                      ? buffered() < loop.settings.caps().headBytes()
                      : upstream.isWritable());
          case TUNNEL -> upstream.isWritable();
        };
    if (channel.isOpen() && !end.inputEnded() && channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
      if (!read && state == State.EXCHANGE && !body.complete()) {
        awaitBody();
      }
    }
  }

  private int buffered() {
    return in == null ? 0 : in.readableBytes();
  }

  // The response comes in.

  @Override
  public boolean responseHead(
      ResponseHead head, ByteBuf bytes, int headStart, int length, long responseNs) {
    if (head.informational()) {
      response.informational(head, bytes, headStart, length);
      if (head.status() == 100 && body.expectsContinue()) {
        body.continued();
        body.begin(responseNs); // the client was not slow: it waited for this
        awaitBody();
      }
      return false;
    }
    if (head.status() == 101) {
      response.switchingProtocols(head, bytes, headStart, length);
      openTunnel();
      return false;
    }
    keepAlive &= body.complete() && !loop.draining();
    boolean dataOnly = response.head(head, bytes, headStart, length, headMethod, keepAlive);
    keepAlive &= !response.endsWithConnection();
    response.timing(responseNs - departedNs, departedNs - arrivedNs - heldNs, responseNs);
    return dataOnly;
  }

  @Override
  public void responseBody(ByteBuf bytes) {
    response.body(bytes);
    if (upstream != null && !channel.isWritable()) {
      upstream.readResponse(false);
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
    }
  }

  @Override
  public void responseFlush() {
    response.flush();
  }

  @Override
  public void responseComplete() {
    boolean wholeRequest = body.complete();
    if (!wholeRequest) {
      keepAlive = false;
    }
    upstream = null;
    response.complete();
    loop.observer.completed(
        response.status(),
        loop.clock.tick() - arrivedNs,
        response.upstreamNs(),
        response.overheadNs(loop.clock.nowNs()));
    loop.observer.requestEnded();
    if (keepAlive) {
      nextRequest();
    } else {
      closeAfterAnswer();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    boolean writable = channel.isWritable();
    if (upstream == null) {
      if (state == State.HEAD && !readingRequests) {
        awaitNextRequest(writable);
      }
    } else {
      upstream.readResponse(writable);
      if (!writable) {
        waiter.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
      } else if (state == State.TUNNEL) {
        awaitTunnel(loop.clock.nowNs());
      } else {
        awaitBody();
      }
    }
  }

  /** The client takes its answers again, or no longer does: go on, or give it a while. */
  private void awaitNextRequest(boolean writable) {
    if (!writable) {
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().writeNs());
    } else {
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
      headStarted = false;
      readRequests();
    }
  }

  private void nextRequest() {
    state = State.HEAD;
    waiter.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
    readRequests();
  }

  // Tunnels.

  private void openTunnel() {
    state = State.TUNNEL;
    loop.observer.tunnelOpened();
    awaitTunnel(loop.clock.nowNs());
    if (in != null && in.isReadable()) {
      ByteBuf early = in;
      in = null;
      RequestSink sink = upstream;
      sink.writeBody(early);
      sink.flush();
    }
    if (end.inputEnded() && upstream != null) {
      upstream.endTunnel(); // the client said so while the service was asked for the tunnel
    }
    adjustReading();
  }

  @Override
  public void tunnelled(ByteBuf bytes) {
    Bytes.write(channel, bytes);
    awaitTunnel(loop.clock.nowNs());
  }

  /** Bytes went through the tunnel. They do not excuse a client that takes none. */
  private void awaitTunnel(long nowNs) {
    if (channel.isWritable()) {
      waiter.within(nowNs, loop.settings.timeouts().tunnelIdleNs());
    }
  }

  @Override
  public void tunnelEnded() {
    end.endOutput();
    if (end.inputEnded()) {
      closeTunnel();
    }
  }

  /** Both sides have ended it, and what they sent is on its way. */
  private void closeTunnel() {
    upstream = null;
    loop.observer.requestEnded();
    closeAfterAnswer();
  }

  // Answers of the proxy itself, and ends.

  @Override
  public void upstreamFailed(RefusalReason reason) {
    try {
      endExchange(reason);
    } catch (RuntimeException | Error bug) {
      fail(bug);
    }
  }

  private void endExchange(RefusalReason reason) {
    upstream = null;
    if (state == State.TUNNEL || response.started()) {
      cut();
    } else {
      if (reason == RefusalReason.UPSTREAM_BUSY) {
        pending.giveBackCharge();
      }
      answer(loop.refusals.plain(reason));
      readRequests();
    }
  }

  private void abortExchange(RefusalReason reason) {
    RequestSink aborted = upstream;
    upstream = null;
    aborted.abandon();
    if (response.started()) {
      cut();
    } else {
      reject(reason);
    }
  }

  /** Answers a request that will not be read further. */
  private void reject(RefusalReason reason) {
    keepAlive = false;
    answer(loop.refusals.plain(reason));
  }

  private void answer(Verdict verdict) {
    discardRequest();
    RefusalReason reason = verdict.refusal();
    keepAlive &= reason.keepsConnection() && !loop.draining() && body.skip(in);
    Bytes.write(
        channel,
        loop.refusals.write(channel.alloc(), verdict, !keepAlive, response.http10(), headMethod));
    loop.observer.refused(reason);
    loop.observer.requestEnded();
    if (keepAlive) {
      state = State.HEAD;
      waiter.within(loop.clock.nowNs(), loop.settings.timeouts().idleNs());
    } else {
      closeAfterAnswer();
    }
  }

  /** Forgets what was to go to the upstream. */
  private void discardRequest() {
    pending.discard();
    body.discard();
  }

  private void closeAfterAnswer() {
    state = State.CLOSING;
    if (in != null) {
      in.release();
      in = null;
    }
    end.inOrder();
  }

  /** The response broke off: the client must not take what it has for all there is. */
  private void cut() {
    loop.observer.requestEnded();
    state = State.CLOSING;
    end.atOnce();
  }

  void closeIfIdle() {
    if (state == State.HEAD && heads.awaitsHead(in)) {
      closeAfterAnswer();
    }
  }

  /** Ends the connection as it stands; a request in flight will not have its whole response. */
  void close() {
    if (state == State.HEAD && end.nothingIsUnsent()) {
      channel.close();
    } else {
      end.atOnce();
    }
  }

  private void onDeadline() {
    switch (state) {
      case HEAD -> {
        if (headStarted) {
          loop.observer.requestStarted();
          headMethod = false;
          reject(RefusalReason.HEAD_TIMEOUT);
        } else if (channel.isWritable()) {
          closeAfterAnswer();
        } else {
          close(); // the client does not take its answers
        }
      }
      case EXCHANGE -> {
        if (channel.isWritable()) {
          abortExchange(RefusalReason.BODY_TIMEOUT);
        } else {
          close(); // the client does not take its response
        }
      }
      case DECIDING -> awaitVerdict();
      case GATHERING -> reject(RefusalReason.BODY_TIMEOUT);
      case CONNECTING, TUNNEL, CLOSING -> close();
    }
  }

  /** The verdict should have come long ago, unless the request is held. */
  private void awaitVerdict() {
    long dueNs = loop.admission.dueNs(ticket);
    long overdueNs = loop.clock.nowNs() - VERDICT_NS;
    if (dueNs == Admission.NOT_HELD || dueNs <= overdueNs) {
      fail(new IllegalStateException("a verdict has not come"));
    } else {
      waiter.within(dueNs, VERDICT_NS);
    }
  }

  /**
   * Something of ours has failed on the way of this request: its connection ends, and no other. The
   * client is told nothing, as nobody knows what it has been told.
   */
  private void fail(Throwable bug) {
    InternalErrors.caught("a client's connection", bug);
    waiter.never();
    end.reset();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    waiter.leave();
    if (state != State.HEAD && state != State.CLOSING) {
      loop.observer.requestEnded();
    }
    if (state == State.DECIDING && ticket != Admission.SETTLED) {
      loop.admission.ended(ticket, loop.requestEnd.set(RequestEnd.How.CLIENT_GONE));
    } else if (state == State.CONNECTING) {
      loop.origin.forget(this);
    }
    state = State.CLOSING;
    if (upstream != null) {
      upstream.abandon();
      upstream = null;
    }
    discardRequest();
    if (in != null && !readingRequests) {
      in.release();
      in = null;
    }
    response.discard();
    loop.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      end.atOnce(); // a reset, or a failed write: nothing is left to tell this client
    } else {
      fail(cause);
    }
  }
}
