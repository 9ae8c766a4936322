package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import io.netty.buffer.ByteBuf;

/**
 * The body of one request on its way to the service: gathered until there is a connection, and then
 * given to it, as far as its messages may pass, if they are counted. What waits for the verdict on
 * a message is held, with the trailers behind it.
 *
 * <p>While a client is slow to send its body, nobody's connection waits for it: all of the body is
 * gathered, or so much that it can be said to flow, {@value #ENOUGH_BYTES} bytes and what one read
 * brings beyond them; then the client is read no further until there is a connection.
 */
final class ForwardedBody implements VerdictListener {
  static final int ENOUGH_BYTES = 16 * 1024;

  private final RequestLoop loop;
  private final ClientSide client;
  private final ServiceLink service;
  private final HeldBytes held;
  private final RequestTimes times;
  private final Runnable onVerdict;

  /** The bytes that have come before there was a connection; null if none have. */
  private ByteBuf gathered;

  /** Trailers that have to wait; null if there are none. */
  private RequestView trailers;

  /** The messages of the request; null if its rule does not count them. */
  private CountedMessages messages;

  /** Made when messages are counted for the first time, and reused. */
  private CountedMessages kept;

  private long ticket = Admission.SETTLED;
  private boolean ended;

  /**
   * @param onVerdict runs when a late verdict on a message has let the body go on.
   */
  ForwardedBody(
      RequestLoop loop,
      ClientSide client,
      ServiceLink service,
      HeldBytes held,
      RequestTimes times,
      Runnable onVerdict) {
    this.loop = loop;
    this.client = client;
    this.service = service;
    this.held = held;
    this.times = times;
    this.onVerdict = onVerdict;
  }

  void start(IncomingRequest incoming) {
    ended = !incoming.hasBody();
  }

  /** Counts the messages of the request, whose verdict has just been asked for. */
  void count(RequestView request) {
    if (kept == null) {
      kept = new CountedMessages();
    }
    messages = kept;
    messages.count(request);
  }

  /** Whether the client has sent the last of it. */
  boolean hasEnded() {
    return ended;
  }

  /** Takes over {@code bytes} while there is no connection; all are held. */
  void gather(ByteBuf bytes, boolean end) {
    ended |= end;
    gathered = ChannelIo.append(gathered, bytes);
  }

  /** Bytes of memory that the gathered body takes. */
  int gatheredMemoryBytes() {
    return gathered == null ? 0 : gathered.capacity();
  }

  /** Keeps trailers while there is no connection. */
  void gatherTrailers(RequestView fields) {
    ended = true;
    trailers = fields.copy();
  }

  /** Whether enough of the body has arrived, or all, for the request to take a connection. */
  boolean deservesConnection() {
    return ended || gathered != null && gathered.readableBytes() >= ENOUGH_BYTES;
  }

  /** Sends the gathered body to the connection that the request has got. */
  void forwardGathered() {
    ByteBuf bytes = gathered;
    if (bytes != null) {
      gathered = null;
      forwardHeld(bytes);
    }
    forwardGatheredTrailers();
  }

  /** Sends held bytes to the service, and what follows them if nothing is held any more. */
  private void forwardHeld(ByteBuf bytes) {
    int length = bytes.readableBytes();
    int stillHeld = give(bytes, ended && trailers == null);
    int consumed = length - stillHeld;
    held.addRequest(-consumed);
    if (consumed > 0) {
      client.requestConsumed(consumed);
    }
  }

  private void forwardGatheredTrailers() {
    if (trailers != null && !isWaiting()) {
      service.trailers(trailers);
      trailers = null;
    }
  }

  /** Takes over {@code bytes} for the service, and returns how many of them are held. */
  int forward(ByteBuf bytes, boolean end) {
    ended |= end;
    return give(bytes, end);
  }

  /** Whether {@link #forward} copies or sends what it is given, and keeps no index of it. */
  boolean copies() {
    return messages == null && service.copiesData();
  }

  /** Sends trailers to the service, after what is held. */
  void forwardTrailers(RequestView fields) {
    ended = true;
    if (isWaiting()) {
      trailers = fields.copy();
    } else {
      service.trailers(fields);
    }
  }

  private int give(ByteBuf bytes, boolean end) {
    if (messages == null) {
      return service.data(bytes, end);
    }
    if (messages.isWaiting()) {
      int length = bytes.readableBytes();
      messages.hold(bytes);
      return length;
    }
    return messages.areCounted() ? giveMessages(bytes, end) : service.data(bytes, end);
  }

  /** Whether bytes are held for the verdict on a message. */
  private boolean isWaiting() {
    return messages != null && messages.isWaiting();
  }

  private int giveMessages(ByteBuf bytes, boolean end) {
    int from = bytes.readerIndex();
    while (!messages.isRefused()) {
      from = messages.next(bytes, from);
      if (from == bytes.writerIndex()) {
        return service.data(bytes, end);
      }
      Asked asked = loop.askForMessage(messages.head(), times.endNs(), this, loop.clock.nowNs());
      ticket = asked.ticket();
      if (!asked.countsMessages()) {
        messages.stop(); // other rules hold now: this was the last
      }
      if (asked.verdict() == null) {
        return giveUntil(bytes, from);
      }
      settled(asked.verdict());
    }
    int heldLength = service.data(bytes.readRetainedSlice(from - bytes.readerIndex()), false);
    bytes.release();
    return heldLength;
  }

  /** Sends the bytes before an index, and holds the others until there is a verdict on them. */
  private int giveUntil(ByteBuf bytes, int index) {
    int before = index - bytes.readerIndex();
    int heldLength = before == 0 ? 0 : service.data(bytes.readRetainedSlice(before), false);
    int waiting = bytes.readableBytes();
    messages.hold(bytes);
    return heldLength + waiting;
  }

  private void settled(Verdict verdict) {
    assert verdict.holding() == Verdict.NOTHING_HELD : "a message holds units that no end returns";
    if (verdict.allowed()) {
      messages.passes();
    } else {
      messages.refuse(verdict);
    }
  }

  @Override
  public void decided(long ofTicket, Verdict verdict) {
    assert ofTicket == ticket : "ticket " + ofTicket + " is decided, and " + ticket + " awaited";
    ticket = Admission.SETTLED;
    try {
      settled(verdict);
      if (!messages.isRefused()) {
        forwardHeld(messages.take());
        forwardGatheredTrailers();
      }
      onVerdict.run();
    } catch (RuntimeException | Error bug) {
      client.failed(bug);
    }
  }

  /** Whether a message was refused, so that nothing after it may pass. */
  boolean isRefused() {
    return messages != null && messages.isRefused();
  }

  /** The verdict that refused a message. */
  Verdict refusal() {
    return messages.refusal();
  }

  /**
   * The request has ended.
   *
   * @return the ticket of the verdict on a message that is still awaited; else {@link
   *     Admission#SETTLED}.
   */
  long end() {
    long awaited = ticket;
    ticket = Admission.SETTLED;
    if (gathered != null) {
      gathered.release();
      gathered = null;
    }
    trailers = null;
    if (messages != null) {
      messages.end();
      messages = null;
    }
    return awaited;
  }
}
