package dev.weir.proxy.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll, with sockets that stay registered while they are interested in nothing: one whose
 * other side has ended, and that is not read from and has nothing to write. Netty 4.2 takes such a
 * socket out of the epoll set, but thinks that it is still there: its next interest, in writing for
 * one, fails and closes it. Such a socket is left there for its errors, once for each.
 */
final class EpollInterest implements IoHandlerFactory {
  private static final EpollIoOps ERRORS = EpollIoOps.EPOLLERR.with(EpollIoOps.EPOLLET);

  private final IoHandlerFactory epoll = EpollIoHandler.newFactory();

  @Override
  public IoHandler newHandler(ThreadAwareExecutor executor) {
    return new Handler(epoll.newHandler(executor));
  }

  @Override
  public boolean isChangingThreadSupported() {
    return epoll.isChangingThreadSupported();
  }

  private record Handler(IoHandler epoll) implements IoHandler {
    @Override
    public void initialize() {
      epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
      return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
      epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
      epoll.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
      return new Registration(epoll.register(handle));
    }

    @Override
    public void wakeup() {
      epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return epoll.isCompatible(handleType);
    }
  }

  private record Registration(IoRegistration epoll) implements IoRegistration {
    @Override
    public <T> T attachment() {
      return epoll.attachment();
    }

    @Override
    public long submit(IoOps ops) {
      return epoll.submit(EpollIoOps.NONE.equals(ops) ? ERRORS : ops);
    }

    @Override
    public boolean isValid() {
      return epoll.isValid();
    }

    @Override
    public boolean cancel() {
      return epoll.cancel();
    }
  }
}
