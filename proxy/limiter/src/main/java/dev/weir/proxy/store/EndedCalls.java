package dev.weir.proxy.store;

import dev.weir.proxy.loop.InternalErrors;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;

/**
 * The calls that have ended, and whose requests have to be told, one call after the other and never
 * within another's write. A failing write ends its call at once, in the middle of the request that
 * caused it, and a callback may send the next call. Such an end waits until the event loop has
 * returned to its top; all other ends come from there.
 *
 * <p>One per event loop.
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

  /** Adds a call that has ended. */
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
