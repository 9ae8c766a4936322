package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import org.agrona.ExpandableArrayBuffer;

/**
 * The messages of one request whose rule charges each message ({@code cost: messages}). The first
 * is charged with the request. Each other one is a question of its own, asked with a copy of the
 * request's head, as the buffer of the head is reused. While a verdict is awaited, the message and
 * all that follows it are held here.
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

  /** The copy of the head, to ask with. */
  RequestView head() {
    return head;
  }

  /** The index of the first byte of the next message, as {@link MessageStarts#next} finds it. */
  int next(ByteBuf bytes, int from) {
    return starts.next(bytes, from, bytes.writerIndex());
  }

  /** The message that was found may pass. */
  void passes() {
    starts.begin();
  }

  /** Takes over bytes that begin with a message whose verdict is awaited. */
  void hold(ByteBuf bytes) {
    waiting = ChannelIo.append(waiting, bytes);
  }

  /** Whether bytes are held. */
  boolean isWaiting() {
    return waiting != null;
  }

  /** Returns the held bytes, and holds none any more. */
  ByteBuf take() {
    ByteBuf held = waiting;
    waiting = null;
    return held;
  }

  /** Remembers that a message may not pass: nothing after it may pass either. */
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

  /** The verdict that refused a message. */
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
