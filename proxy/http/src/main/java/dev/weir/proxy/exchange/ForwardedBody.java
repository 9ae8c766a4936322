package dev.weir.proxy.exchange;

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
 */
final class ForwardedBody implements VerdictListener {
  private final RequestLoop loop;
  private final ClientSide client;
  private final ServiceLink service;
  private final HeldBytes held;
  private final RequestTimes times;
  private final Runnable onVerdict;
  private final GatheredBody gathered = new GatheredBody();
  private final CountedMessages messages = new CountedMessages();
  private long ticket = Admission.SETTLED;
  private boolean ended;

  /**
   * @param onVerdict is told that a verdict on a message has come late, and the body has gone on.
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

  /** A new request. */
  void start(IncomingRequest incoming) {
    ended = !incoming.hasBody();
    messages.start();
  }

  /** Counts the messages of the request, whose verdict has just been asked for. */
  void count(RequestView request) {
    messages.count(request);
  }

  /** Whether the client has sent the last of it. */
  boolean hasEnded() {
    return ended;
  }

  /** Takes over {@code bytes} while there is no connection; all are held. */
  void gather(ByteBuf bytes, boolean end) {
    ended |= end;
    gathered.append(bytes);
  }

  /** The memory of what is gathered. */
  int gatheredMemoryBytes() {
    return gathered.memoryBytes();
  }

  /** Keeps trailers while there is no connection. */
  void gatherTrailers(RequestView fields) {
    ended = true;
    gathered.trailers().copy(fields);
  }

  /** Whether there is so much of it, or all, that it deserves a connection. */
  boolean deservesConnection() {
    return ended || gathered.isEnough();
  }

  /** There is a connection: gives it what has been gathered. */
  void forwardGathered() {
    ByteBuf bytes = gathered.take();
    if (bytes != null) {
      forwardHeld(bytes);
    }
    forwardGatheredTrailers();
  }

  /** Gives the service bytes that were held, and what follows them if nothing is held any more. */
  private void forwardHeld(ByteBuf bytes) {
    int length = bytes.readableBytes();
    int stillHeld = give(bytes, ended && gathered.trailers().fields() == null);
    int consumed = length - stillHeld;
    held.addRequest(-consumed);
    if (consumed > 0) {
      client.requestConsumed(consumed);
    }
  }

  private void forwardGatheredTrailers() {
    RequestView trailers = gathered.trailers().fields();
    if (trailers != null && !messages.isWaiting()) {
      service.trailers(trailers);
      gathered.trailers().discard();
    }
  }

  /** Takes over {@code bytes} for the service, and returns how many of them are held. */
  int forward(ByteBuf bytes, boolean end) {
    ended |= end;
    return give(bytes, end);
  }

  /** Whether {@link #forward} copies or sends what it is given, and keeps no index of it. */
  boolean copies() {
    return !messages.areCounted() && !messages.isWaiting() && service.copiesData();
  }

  /** Gives the service trailers, behind what is held. */
  void forwardTrailers(RequestView fields) {
    ended = true;
    if (messages.isWaiting()) {
      gathered.trailers().copy(fields);
    } else {
      service.trailers(fields);
    }
  }

  private int give(ByteBuf bytes, boolean end) {
    if (messages.isWaiting()) {
      int length = bytes.readableBytes();
      messages.hold(bytes);
      return length;
    }
    return messages.areCounted() ? giveMessages(bytes, end) : service.data(bytes, end);
  }

  private int giveMessages(ByteBuf bytes, boolean end) {
    int from = bytes.readerIndex();
    while (!messages.isRefused()) {
      from = messages.next(bytes, from);
      if (from == bytes.writerIndex()) {
        return service.data(bytes, end);
      }
      Asked asked = loop.ask(messages.head(), times.endNs(), this, loop.clock.nowNs());
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

  /** Gives the bytes before an index, and holds the others until there is a verdict on them. */
  private int giveUntil(ByteBuf bytes, int index) {
    int before = index - bytes.readerIndex();
    int heldLength = before == 0 ? 0 : service.data(bytes.readRetainedSlice(before), false);
    int waiting = bytes.readableBytes();
    messages.hold(bytes);
    return heldLength + waiting;
  }

  private void settled(Verdict verdict) {
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

  /** Whether a message may not pass, and so nothing that follows. */
  boolean isRefused() {
    return messages.isRefused();
  }

  /** Why a message may not pass. */
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
    gathered.discard();
    messages.end();
    return awaited;
  }
}
