package dev.weir.proxy.virtual;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DefaultSocketChannelConfig;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * The sidecar's end of a connection whose two directions are queues of bytes, as long as the
 * buffers of a system. It behaves as Netty's sockets do: each side ends by itself, a close with
 * unread bytes is a reset, and a write to a peer that has closed is answered with one. What arrives
 * is read when {@link #readEvent} is called, and what the buffer had no room for is sent on by
 * {@link #writeEvent}. {@link #far} is the other end.
 */
final class VirtualSocket extends AbstractChannel implements SocketChannel {
  /** How the bytes of one direction end. */
  enum End {
    NONE,
    IN_ORDER,
    RESET
  }

  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
  private static final Socket NO_SOCKET = new Socket();

  private final Config config = new Config();
  private final ByteQueue toSidecar = new ByteQueue();
  private final ByteQueue fromSidecar = new ByteQueue();
  private final InetSocketAddress local;
  private InetSocketAddress remote;
  private final int bufferBytes;
  private final Far far = new Far();

  private End inputEnd = End.NONE;
  private End outputEnd = End.NONE;
  private boolean isOpen = true;
  private boolean isConnected;
  private boolean readPending;
  private boolean writeBlocked;
  private boolean inputTold;
  private boolean outputShut;
  private int lingers = -1;
  private ChannelPromise connecting;

  /** Null for a socket that was accepted. */
  private final Network network;

  /** Who is told of a socket that wants to be connected. */
  interface Network {
    void connecting(VirtualSocket socket);
  }

  /**
   * A socket that was accepted.
   *
   * @param bufferBytes that the system keeps of each direction.
   */
  VirtualSocket(InetSocketAddress local, InetSocketAddress remote, int bufferBytes, int markBytes) {
    super(null);
    this.local = local;
    this.remote = remote;
    this.bufferBytes = bufferBytes;
    this.network = null;
    isConnected = true;
    config.mark(markBytes);
  }

  /** A socket that will be connected. */
  VirtualSocket(Network network, InetSocketAddress local, int bufferBytes, int markBytes) {
    super(null);
    this.local = local;
    this.bufferBytes = bufferBytes;
    this.network = network;
    config.mark(markBytes);
  }

  /** The other end. */
  Far far() {
    return far;
  }

  /** Whether it is a client's. */
  boolean isClient() {
    return network == null;
  }

  // What the system tells the event loop.

  /** Whether {@link #readEvent} has something to tell. */
  boolean isReadable() {
    return isOpen
        && isConnected
        && readPending
        && !inputTold
        && (!toSidecar.isEmpty() || inputEnd != End.NONE);
  }

  /** Reads once, as Netty's byte channels do. */
  void readEvent(int mostBytes) {
    if (inputEnd == End.RESET) {
      toSidecar.clear();
      resetEvent();
      return;
    }
    int count = Math.min(mostBytes, toSidecar.size());
    if (count == 0) {
      inputTold = true;
      endRead();
      return;
    }
    ByteBuf bytes = alloc().directBuffer(count);
    toSidecar.move(bytes, count);
    readPending = false;
    pipeline().fireChannelRead(bytes);
    pipeline().fireChannelReadComplete();
  }

  /** Whether the peer has reset the connection, and nobody was told. */
  boolean isReset() {
    return isOpen && isConnected && inputEnd == End.RESET && !inputTold;
  }

  /** Tells that the connection was reset, whether it is being read or not. */
  void resetEvent() {
    inputTold = true;
    pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
    endRead();
  }

  private void endRead() {
    if (!isOpen) {
      return;
    }
    if (config.isAllowHalfClosure()) {
      pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    } else {
      unsafe().close(unsafe().voidPromise());
    }
  }

  /** Whether {@link #writeEvent} could send on. */
  boolean isUnblocked() {
    return isOpen && isConnected && writeBlocked && fromSidecar.size() < bufferBytes;
  }

  /** There is room in the system's buffer again. */
  void writeEvent() {
    writeBlocked = false;
    ((SocketUnsafe) unsafe()).forceFlush();
  }

  /** Whether it waits to be connected. */
  boolean isConnecting() {
    return connecting != null && isOpen;
  }

  /** The peer has accepted. */
  void connected() {
    ChannelPromise told = connecting;
    connecting = null;
    isConnected = true;
    boolean isTold = told.trySuccess();
    pipeline().fireChannelActive();
    if (!isTold) {
      unsafe().close(unsafe().voidPromise());
    }
  }

  /** There is nobody to connect to. */
  void refused() {
    failConnect(new ConnectException("Connection refused"));
  }

  private void failConnect(IOException why) {
    if (connecting != null) {
      ChannelPromise told = connecting;
      connecting = null;
      told.tryFailure(why);
      ((SocketUnsafe) unsafe()).closeIfNot();
    }
  }

  /** The peer's end. It is told nothing: it looks. */
  final class Far {
    /** Whether it has closed, and reads nothing any more. */
    private boolean isClosed;

    /** How many bytes it could send. */
    int room() {
      return inputEnd != End.NONE || outputEnd == End.RESET
          ? 0
          : Math.max(0, bufferBytes - toSidecar.size());
    }

    /** Sends the first bytes of a queue, of which there is room for so many. */
    void send(ByteQueue bytes, int count) {
      if (isOpen) {
        bytes.move(toSidecar, count);
      } else {
        bytes.skip(count);
      }
    }

    /** Whether it has ended what it sends. */
    boolean hasEnded() {
      return inputEnd != End.NONE;
    }

    /** Ends what it sends. */
    void end() {
      if (inputEnd == End.NONE) {
        inputEnd = End.IN_ORDER;
      }
    }

    /** Ends both directions, with a reset. */
    void reset() {
      inputEnd = End.RESET;
      isClosed = true;
      fromSidecar.clear();
    }

    /** Ends both directions: what still comes is answered with a reset. */
    void close() {
      if (inputEnd == End.NONE) {
        inputEnd = fromSidecar.isEmpty() ? End.IN_ORDER : End.RESET;
      }
      isClosed = true;
      fromSidecar.clear();
    }

    boolean isClosed() {
      return isClosed;
    }

    /** How many bytes have arrived. */
    int readable() {
      return fromSidecar.size();
    }

    /** Reads the first bytes. */
    void read(ByteQueue to, int count) {
      fromSidecar.move(to, count);
    }

    /** How the sidecar has ended its direction; nothing before its bytes are read. */
    End ended() {
      return outputEnd == End.RESET || fromSidecar.isEmpty() ? outputEnd : End.NONE;
    }
  }

  // What Netty asks of a channel.

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new SocketUnsafe();
  }

  private final class SocketUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
      connecting = promise;
      remote = (InetSocketAddress) to;
      int timeoutMs = config.getConnectTimeoutMillis();
      if (timeoutMs > 0) {
        var timeout =
            eventLoop()
                .schedule(
                    () -> failConnect(new ConnectTimeoutException("connection timed out: " + to)),
                    timeoutMs,
                    TimeUnit.MILLISECONDS);
        promise.addListener(done -> timeout.cancel(false));
      }
      network.connecting(VirtualSocket.this);
    }

    @Override
    protected void flush0() {
      if (!writeBlocked) {
        super.flush0();
      }
    }

    private void forceFlush() {
      super.flush0();
    }

    private void closeIfNot() {
      if (isOpen) {
        close(voidPromise());
      }
    }
  }

  @Override
  protected void doBeginRead() {
    readPending = true;
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) throws IOException {
    for (Object next = out.current(); next != null; next = out.current()) {
      if (inputEnd == End.RESET) {
        throw new IOException("Broken pipe");
      }
      ByteBuf bytes = (ByteBuf) next;
      if (!bytes.isReadable()) {
        out.remove();
        continue;
      }
      if (far.isClosed) {
        inputEnd = End.RESET; // this one is taken, and what follows fails
        out.removeBytes(bytes.readableBytes());
        continue;
      }
      int count = Math.min(bytes.readableBytes(), bufferBytes - fromSidecar.size());
      if (count <= 0) {
        writeBlocked = true;
        return;
      }
      fromSidecar.add(bytes, count);
      out.removeBytes(count);
    }
    writeBlocked = false;
  }

  @Override
  protected void doShutdownOutput() {
    outputShut = true;
    if (outputEnd == End.NONE) {
      outputEnd = End.IN_ORDER;
    }
  }

  @Override
  protected void doClose() {
    isOpen = false;
    if (lingers == 0 || !toSidecar.isEmpty()) {
      outputEnd = End.RESET;
      fromSidecar.clear();
    } else if (outputEnd == End.NONE) {
      outputEnd = End.IN_ORDER;
    }
    toSidecar.clear();
    ChannelPromise waits = connecting;
    connecting = null;
    if (waits != null) {
      waits.tryFailure(new java.nio.channels.ClosedChannelException());
    }
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doBind(SocketAddress address) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof VirtualLoop;
  }

  @Override
  public boolean isOpen() {
    return isOpen;
  }

  @Override
  public boolean isActive() {
    return isOpen && isConnected;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public SocketChannelConfig config() {
    return config;
  }

  @Override
  public ServerSocketChannel parent() {
    return null;
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  public InetSocketAddress localAddress() {
    return local;
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public boolean isInputShutdown() {
    return inputTold || !isActive();
  }

  @Override
  public ChannelFuture shutdownInput() {
    throw new UnsupportedOperationException();
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShut || !isActive();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
    return promise;
  }

  @Override
  public boolean isShutdown() {
    return isInputShutdown() && isOutputShutdown();
  }

  @Override
  public ChannelFuture shutdown() {
    throw new UnsupportedOperationException();
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  /** Options, of which those of a real socket do nothing; its marks are as low as its buffers. */
  private final class Config extends DefaultSocketChannelConfig {
    Config() {
      super(VirtualSocket.this, NO_SOCKET);
    }

    private void mark(int bytes) {
      super.setWriteBufferWaterMark(new WriteBufferWaterMark(bytes / 4, bytes));
      setAllocator(CountedBuffers.ALLOCATOR);
    }

    @Override
    public SocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
      return this;
    }

    @Override
    protected void autoReadCleared() {
      readPending = false;
    }

    @Override
    public SocketChannelConfig setSoLinger(int seconds) {
      lingers = seconds;
      return this;
    }

    @Override
    public int getSoLinger() {
      return lingers;
    }

    @Override
    public SocketChannelConfig setTcpNoDelay(boolean isOn) {
      return this;
    }
  }
}
