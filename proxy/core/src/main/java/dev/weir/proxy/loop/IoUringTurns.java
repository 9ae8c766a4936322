package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.ArrayDeque;

/**
 * Netty's io_uring, with turns that end when what had come has been read. Netty 4.2 asks the kernel
 * again and again, up to 128 times, before it runs the loop's tasks: whoever sends in a task sends
 * when everybody has fallen silent, and everybody waits for what is sent. Here {@link TurnEnd}
 * comes behind the last of the reads that were begun together, and what it sends goes to the kernel
 * with the next reads.
 *
 * <p>A read is begun by Netty within the event that says that there is something to be read, and
 * ends with an event of its own. What is not seen as a read (a second one of the same bytes) only
 * makes a turn shorter; what is never seen to end makes it as long as Netty does, once.
 */
final class IoUringTurns implements IoHandlerFactory {
  // Of the kernel's io_uring.h and poll.h; Netty's own are not public.
  private static final byte POLL_ADD = 6;
  private static final byte RECV = 27;
  private static final int POLLIN = 1;
  private static final int POLLHUP = 16;
  private static final int POLLRDHUP = 0x2000;

  /** The kernel's report that a connection's input has ended: Netty reads once more at least. */
  private static final IoUringIoEvent END_OF_INPUT = new IoUringIoEvent(POLLRDHUP, 0, POLL_ADD, 0L);

  /** The most ends of turns in a row, as one may bring about another. */
  private static final int MAX_ENDS = 8;

  private static final FastThreadLocal<Handler> OF_THREAD = new FastThreadLocal<>();

  private final IoHandlerFactory uring = IoUringIoHandler.newFactory();

  /**
   * Runs a task after the reads that this thread is in; false if it is in none, or is no event loop
   * of io_uring.
   */
  static boolean endWithReads(Runnable task) {
    final Handler handler = OF_THREAD.getIfExists();
    if (handler == null || !handler.isReading) {
      return false;
    }
    handler.ends.add(task);
    return true;
  }

  @Override
  public IoHandler newHandler(ThreadAwareExecutor executor) {
    return new Handler(uring.newHandler(executor), executor);
  }

  @Override
  public boolean isChangingThreadSupported() {
    return uring.isChangingThreadSupported();
  }

  /** Used by its event loop's thread; {@link #wakeup} by any. */
  private static final class Handler implements IoHandler {
    private final IoHandler uring;
    private final ThreadAwareExecutor eventLoop;
    private final ArrayDeque<Runnable> ends = new ArrayDeque<>();
    private boolean isReading;

    /** Whether a read may begin, as a channel is being told that there are bytes. */
    private boolean mayBegin;

    private boolean isPrepared;

    /** Reads that have begun and not ended. */
    private int reads;

    Handler(IoHandler uring, ThreadAwareExecutor eventLoop) {
      this.uring = uring;
      this.eventLoop = eventLoop;
    }

    @Override
    public void initialize() {
      OF_THREAD.set(this);
      uring.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      isReading = true;
      reads = 0;
      try {
        final int events = uring.run(context);
        endTurns();
        return events;
      } finally {
        isReading = false;
        for (Runnable end = ends.poll(); end != null; end = ends.poll()) {
          eventLoop.execute(end);
        }
      }
    }

    private void endTurns() {
      for (int i = 0; i < MAX_ENDS && !ends.isEmpty(); i++) {
        ends.poll().run();
      }
    }

    /** Something is submitted for a channel. */
    private void submitted() {
      if (mayBegin) {
        mayBegin = false;
        reads++;
      }
    }

    private void handle(Handle told, IoUringIoEvent event) {
      final byte operation = event.opcode();
      final int result = event.res();
      if (operation == POLL_ADD && result > 0 && (result & POLLHUP) != 0) {
        told.hasEnded = true;
      }
      mayBegin = operation == POLL_ADD && (result & POLLIN) != 0;
      told.handle.handle(told.registration, event);
      mayBegin = false;
      if (operation == RECV) {
        reads--;
        if (result > 0 && told.hasEnded) {
          readOn(told);
        }
        if (reads <= 0) {
          endTurns();
        }
      }
    }

    /**
     * Reads again from a connection both of whose sides have ended. Netty reads what came before a
     * reset and waits for more, but the kernel has reported the reset already, so it would be
     * noticed only at a timeout. The read that gets the reset closes the connection.
     */
    private void readOn(Handle told) {
      if (told.handle instanceof Channel.Unsafe unsafe
          && unsafe.voidPromise().channel().isActive()) {
        mayBegin = true;
        told.handle.handle(told.registration, END_OF_INPUT);
        mayBegin = false;
      }
    }

    /**
     * Closes what is open, once. Netty calls it in each of a loop's last turns, and waits in it for
     * a completion. The first time it has caused one itself; the second time a loop would wait for
     * ever for an operation that the kernel does not report, such as a read from a silent server.
     */
    @Override
    public void prepareToDestroy() {
      if (!isPrepared) {
        isPrepared = true;
        uring.prepareToDestroy();
      }
    }

    @Override
    public void destroy() {
      uring.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      final Handle told = new Handle((IoUringIoHandle) handle, this);
      told.registration = new Registration(uring.register(told), this);
      return told.registration;
    }

    @Override
    public void wakeup() {
      uring.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return uring.isCompatible(handleType);
    }
  }

  @SuppressWarnings("try") // its close() throws what Netty's does
  private static final class Handle implements IoUringIoHandle {
    private final IoUringIoHandle handle;
    private final Handler handler;
    private IoRegistration registration;

    /** Whether the kernel has reported the end of both sides of the connection. */
    private boolean hasEnded;

    Handle(IoUringIoHandle handle, Handler handler) {
      this.handle = handle;
      this.handler = handler;
    }

    @Override
    public void handle(IoRegistration unused, IoEvent event) {
      handler.handle(this, (IoUringIoEvent) event);
    }

    @Override
    public void registered() {
      handle.registered();
    }

    @Override
    public void unregistered() {
      handle.unregistered();
    }

    @Override
    public void close() throws Exception {
      handle.close();
    }
  }

  private record Registration(IoRegistration uring, Handler handler) implements IoRegistration {
    @Override
    public <T> T attachment() {
      return uring.attachment();
    }

    @Override
    public long submit(IoOps ops) {
      handler.submitted();
      return uring.submit(ops);
    }

    @Override
    public boolean isValid() {
      return uring.isValid();
    }

    @Override
    public boolean cancel() {
      return uring.cancel();
    }
  }
}
