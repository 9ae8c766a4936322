package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;

/**
 * Calls that have come to their end and whose requests are told, one call after the other and never
 * within another's writing: a write that fails does so at once, in the middle of the request that
 * caused it, and whoever is told may send the next. Such an end waits until the event loop has come
 * back to its top. All others are told where they come from, which is the top.
 *
 * <p>One per event loop; used by that loop.
 */
final class EndedCalls {
  private final EventLoop eventLoop;
  private final Runnable telling = this::tell;
  private final ArrayDeque<BatchCall> ended = new ArrayDeque<>();
  private int writing;
  private boolean isTelling;

  EndedCalls(EventLoop eventLoop) {
    this.eventLoop = eventLoop;
  }

  /** A call is being written, until {@link #written}. */
  void writing() {
    writing++;
  }

  void written() {
    writing--;
  }

  /** A call has come to its end. */
  void add(BatchCall call) {
    ended.add(call);
    if (isTelling) {
      return; // it comes after those before it
    }
    if (writing == 0) {
      tell();
    } else if (ended.size() == 1) {
      eventLoop.execute(telling);
    }
  }

  private void tell() {
    isTelling = true;
    for (BatchCall call = ended.poll(); call != null; call = ended.poll()) {
      try {
        call.tell();
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("a call to the store", bug);
      }
    }
    isTelling = false;
  }
}
