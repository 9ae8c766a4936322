package dev.weir.bench.store;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Sends the next commands when earlier ones are answered: as fast as the server goes. One thread,
 * one selector; a write is a slice of {@link Commands} and replies are only counted, so that the
 * client costs less than the server.
 */
final class ClosedLoop implements AutoCloseable {
  private static final long NO_REPLY_MS = 10_000;
  private static final int RECEIVE_BYTES = 256 << 10;

  private final Selector selector = Selector.open();
  private final List<Connection> connections = new ArrayList<>();
  private final ByteBuffer received = ByteBuffer.allocateDirect(RECEIVE_BYTES);
  private final Commands commands;
  private final Shape shape;
  private final Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(60), 3);
  private int next;
  private long replies;
  private long left;
  private long deadlineNs;

  ClosedLoop(InetSocketAddress address, Commands commands, Shape shape) throws IOException {
    this.commands = commands;
    this.shape = shape;
    for (int i = 0; i < shape.connections(); i++) {
      connections.add(new Connection(address));
    }
  }

  /** Sends every command from one on once, as far as they fill whole writes. */
  void runOnce(int from) throws IOException {
    next = from;
    run((commands.count() - from) / shape.commandsPerWrite(), TimeUnit.MINUTES.toNanos(1));
  }

  /** Sends for so long, once at least, then waits for what is in flight. */
  void run(double seconds) throws IOException {
    run(Long.MAX_VALUE, (long) (seconds * 1e9));
  }

  private void run(long mostWrites, long durationNs) throws IOException {
    left = mostWrites;
    latencies.reset();
    replies = 0;
    final long startNs = System.nanoTime();
    deadlineNs = startNs + durationNs;
    int busy = 0;
    for (Connection connection : connections) {
      busy += connection.proceed(startNs) ? 1 : 0;
    }
    while (busy > 0) {
      if (selector.select(NO_REPLY_MS) == 0) {
        throw new IOException("redis: no reply in " + NO_REPLY_MS + " ms");
      }
      for (SelectionKey key : selector.selectedKeys()) {
        busy -= ((Connection) key.attachment()).ready() ? 0 : 1;
      }
      selector.selectedKeys().clear();
    }
  }

  /** The replies of the last run. */
  long replies() {
    return replies;
  }

  /** Error replies of all runs. */
  long errors() {
    long errors = 0;
    for (Connection connection : connections) {
      errors += connection.counter.errors();
    }
    return errors;
  }

  /** The latencies of the last run, in nanoseconds: from a write to the last reply to it. */
  Histogram latencies() {
    return latencies;
  }

  private final class Connection {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer out = commands.view().limit(0);
    private final ReplyCounter counter = new ReplyCounter();
    private final long[] startedNs = new long[shape.writesInFlight()];
    private int oldest;
    private int writes;
    private int repliesOfOldest;
    private int first;

    Connection(InetSocketAddress address) throws IOException {
      channel = SocketChannel.open(address);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Returns whether anything is still in flight. */
    private boolean ready() throws IOException {
      if (key.isReadable()) {
        received.clear();
        if (channel.read(received) < 0) {
          throw new IOException("redis has closed the connection");
        }
        answered(counter.consume(received.flip()));
      }
      return proceed(System.nanoTime());
    }

    private void answered(int number) {
      replies += number;
      repliesOfOldest += number;
      while (repliesOfOldest >= shape.commandsPerWrite() && writes > 0) {
        repliesOfOldest -= shape.commandsPerWrite();
        writes--;
        latencies.recordValue(System.nanoTime() - startedNs[oldest]);
        oldest = (oldest + 1) % startedNs.length;
      }
    }

    private boolean proceed(long nowNs) throws IOException {
      flush();
      while (writes < shape.writesInFlight() && !out.hasRemaining() && begins(nowNs)) {
        commands.select(out, first, shape.commandsPerWrite());
        writes++;
        flush();
      }
      return writes > 0;
    }

    private boolean begins(long nowNs) {
      if (left == 0 || nowNs >= deadlineNs) {
        return false;
      }
      left--;
      if (next + shape.commandsPerWrite() > commands.count()) {
        next = 0;
        commands.renew();
      }
      first = next;
      next += shape.commandsPerWrite();
      startedNs[(oldest + writes) % startedNs.length] = nowNs;
      return true;
    }

    private void flush() throws IOException {
      if (out.hasRemaining()) {
        channel.write(out);
        final int wanted =
            out.hasRemaining()
                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                : SelectionKey.OP_READ;
        if (key.interestOps() != wanted) {
          key.interestOps(wanted);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      connection.channel.close();
    }
    selector.close();
  }

  /**
   * How a closed loop sends.
   *
   * @param commandsPerWrite sent at once.
   * @param writesInFlight per connection: so many are sent before the first is answered.
   */
  record Shape(int connections, int commandsPerWrite, int writesInFlight) {
    /** One command at a time on each of 16 connections. */
    static final Shape UNPIPELINED = new Shape(16, 1, 1);

    /**
     * On one connection, two pipelines under way: the server finds the next when one is answered.
     */
    static Shape pipelined(int commands) {
      return new Shape(1, commands, 2);
    }

    /** One connection, one command per write. */
    static Shape inFlight(int commands) {
      return new Shape(1, 1, commands);
    }
  }

  /** Counts whole RESP2 replies in a stream, however it is cut. One per connection and thread. */
  static final class ReplyCounter {
    private int type;
    private long number;
    private boolean negative;
    private long skip;
    // Elements until the reply is whole: arrays add theirs.
    private long missing = 1;
    private int replies;
    private long errors;

    /** Takes all bytes; returns how many replies ended among them. */
    int consume(ByteBuffer in) {
      replies = 0;
      while (in.hasRemaining()) {
        if (skip > 0) {
          final int step = (int) Math.min(skip, in.remaining());
          in.position(in.position() + step);
          skip -= step;
          if (skip == 0) {
            elementEnds();
          }
        } else {
          next(in.get());
        }
      }
      return replies;
    }

    private void next(byte b) {
      if (type == 0) {
        type = b;
        number = 0;
        negative = false;
      } else if (b == '\n') {
        lineEnds();
      } else if (b == '-') {
        negative = true;
      } else if (b >= '0' && b <= '9') {
        number = number * 10 + b - '0';
      }
    }

    private void lineEnds() {
      if (type == '$' && !negative) {
        skip = number + 2;
      } else {
        if (type == '*' && !negative) {
          missing += number;
        } else if (type == '-') {
          errors++;
        }
        elementEnds();
      }
      type = 0;
    }

    private void elementEnds() {
      if (--missing == 0) {
        replies++;
        missing = 1;
      }
    }

    /** Error replies so far, those within arrays too. */
    long errors() {
      return errors;
    }
  }
}
