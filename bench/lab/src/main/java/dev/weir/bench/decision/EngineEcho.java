package dev.weir.bench.decision;

import dev.weir.bench.decision.CallServer.JavaServer;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.Role;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.StreamEvents;
import dev.weir.proxy.http2.StreamOwner;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Http2Observer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The engine of the decision API with nothing behind it: the fields of a call are decoded and not
 * looked at, its message is sent back. What no server of calls can do without.
 */
final class EngineEcho implements CallServer {
  private static final int MAX_STREAMS = 1_000;
  private static final int MAX_HELD_BYTES = 32 << 20;
  private static final int MAX_LIST_BYTES = 32 * 1024;
  private static final int MAX_FIELDS = 100;
  private static final byte[] HEAD =
      new HpackEncoder().add(":status", "200").add("content-type", "application/grpc").bytes();
  private static final byte[] OK = new HpackEncoder().add("grpc-status", "0").bytes();

  private final TransportKind transport;

  EngineEcho(TransportKind transport) {
    this.transport = transport;
  }

  @Override
  public String name() {
    return "echo-" + transport;
  }

  @Override
  public Set<Ask> asks() {
    return EnumSet.of(Ask.CHECK);
  }

  @Override
  public String version() {
    return "an echo on the engine of these classes";
  }

  @Override
  public List<String> command(Path folder, int port) {
    return JavaServer.command(EngineEcho.class, transport.name(), port);
  }

  private static final class Streams implements StreamEvents {
    private final Http2Connection connection;
    private final Stream[] owners = new Stream[2 * MAX_STREAMS];
    private final byte[] message = new byte[Http2Connection.WINDOW_BYTES];

    Streams(Http2Loop loop, Channel channel, Http2Observer observer) {
      connection = new Http2Connection(loop, Role.SERVER, channel, observer, MAX_STREAMS, this);
    }

    @Override
    public void headReceived(int stream, FieldBlock fields, boolean endStream) {
      if (owners[stream] == null) {
        owners[stream] = new Stream(stream);
      }
      connection.owner(stream, owners[stream]); // the message follows
    }

    /** The owner of each stream that has a slot's number. */
    private final class Stream implements StreamOwner {
      private final int stream;

      Stream(int stream) {
        this.stream = stream;
      }

      @Override
      public int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream) {
        in.getBytes(offset, message, 0, bytes);
        connection.sendHead(stream, HEAD, false);
        connection.sendData(stream, message, bytes, false);
        connection.sendTrailers(stream, OK);
        connection.release(stream);
        return 0;
      }

      @Override
      public void trailersReceived(FieldBlock fields) {
        connection.release(stream);
      }

      @Override
      public void cancelled(StreamEnd how, int errorCode) {
        connection.release(stream);
      }

      @Override
      public void bytesSent(int bytes) {
        // Nobody waits for it.
      }
    }

    @Override
    public void connectionEnded() {
      // Nothing of it is kept.
    }
  }

  /** Counts nothing of what happens on connections. */
  private static final class UntoldObserver implements Http2Observer {
    @Override
    public void connectionOpened() {
      // Not counted.
    }

    @Override
    public void connectionClosed() {
      // Not counted.
    }

    @Override
    public void streamOpened() {
      // Not counted.
    }

    @Override
    public void streamClosed() {
      // Not counted.
    }

    @Override
    public void resetSent(int errorCode) {
      // Not counted.
    }

    @Override
    public void resetReceived(int errorCode) {
      // Not counted.
    }

    @Override
    public void goAwaySent(int errorCode) {
      // Not counted.
    }

    @Override
    public void goAwayReceived(int errorCode) {
      // Not counted.
    }

    @Override
    public void glitch(Glitch glitch) {
      // Not counted.
    }
  }

  /** Serves on one thread until the process is ended: transport, port. */
  public static void main(String[] args) throws InterruptedException {
    final Transport transport = Transport.of(TransportKind.valueOf(args[0]));
    final MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    final EventLoop eventLoop = (EventLoop) group.iterator().next();
    final LoopClock clock = new LoopClock();
    final Deadlines deadlines = new Deadlines(clock);
    final Http2Loop loop =
        new Http2Loop(
            clock, deadlines, new TurnEnd(eventLoop), MAX_HELD_BYTES, MAX_LIST_BYTES, MAX_FIELDS);
    final Http2Observer observer = new UntoldObserver();
    eventLoop.execute(() -> deadlines.start(eventLoop));
    LocalLoop.listen(
            group,
            transport,
            Integer.parseInt(args[1]),
            channel ->
                channel
                    .pipeline()
                    .addLast(new Streams(loop, channel, observer).connection.handler()))
        .closeFuture()
        .sync();
  }
}
