package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import org.agrona.ExpandableArrayBuffer;

/**
 * The messages of one request whose rule counts them. Each but the first, which came with the
 * request's own verdict, is asked for as the request was: by a copy of its head, as the bytes of
 * that do not stay. While a verdict is awaited, the message and what follows are held here.
 */
final class CountedMessages {
  private final MessageStarts starts = new MessageStarts();
  private final ExpandableArrayBuffer headBytes = new ExpandableArrayBuffer();
  private RequestView head = new RequestView(0);
  private boolean counted;
  private ByteBuf waiting;
  private Verdict refusal;
  private boolean refused;

  /**
   * Counts the messages of a new request.
   *
   * @param request valid during the call.
   */
  void count(RequestView request) {
    counted = true;
    refused = false;
    starts.begin();
    if (head.maxFieldCount() < request.fieldCount()) {
      head = new RequestView(request.fieldCount());
    }
    head.copy(request, headBytes);
  }

  /** Counts no more messages of this request. */
  void stop() {
    counted = false;
  }

  boolean areCounted() {
    return counted;
  }

  /** The request, to ask with. */
  RequestView head() {
    return head;
  }

  /** The index of the byte that the next message begins with: {@link MessageStarts#next}. */
  int next(ByteBuf bytes, int from) {
    return starts.next(bytes, from, bytes.writerIndex());
  }

  /** The message that was found may pass. */
  void passes() {
    starts.begin();
  }

  /** Takes over bytes, of which the first begins a message whose verdict is awaited. */
  void hold(ByteBuf bytes) {
    waiting = ChannelIo.append(waiting, bytes);
  }

  /** Whether bytes are held. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Hands over what is held. */
  ByteBuf take() {
    ByteBuf held = waiting;
    waiting = null;
    return held;
  }

  /** A message may not pass, and so nothing that follows. */
  void refuse(Verdict verdict) {
    if (refusal == null) {
      refusal = new Verdict();
    }
    refusal.set(verdict);
    refused = true;
  }

  boolean isRefused() {
    return refused;
  }

  /** Why a message may not pass. */
  Verdict refusal() {
    return refusal;
  }

  /** The request has ended. */
  void end() {
    if (waiting != null) {
      take().release();
    }
  }
}
