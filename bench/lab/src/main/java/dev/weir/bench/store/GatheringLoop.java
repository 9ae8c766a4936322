package dev.weir.bench.store;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Checks that arrive at a constant rate, whatever the server does, and are sent as a gathering
 * client would: at once when nothing is in flight, else together when the reply is there. Each is
 * timed from when it was due.
 */
final class GatheringLoop implements AutoCloseable {
  static final int MAX_BATCH = 256;

  private static final int KEYS_SENT = 1 << 16;
  private static final int FRAME_BYTES = 1 << 17;

  private final SocketChannel channel;
  private final ReplyCounter counter = new ReplyCounter();
  private final ByteBuffer received = ByteBuffer.allocateDirect(1 << 16);
  private final ByteBuffer frame = ByteBuffer.allocateDirect(FRAME_BYTES);
  private final byte[][] heads = new byte[MAX_BATCH + 1][];
  private final byte[][] arguments = new byte[MAX_BATCH + 1][];
  private final byte[] keys;
  private final int keyBytes;
  private final Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(60), 3);
  private int nextKey;
  private long calls;
  private long checks;

  GatheringLoop(InetSocketAddress address, String sha1, CheckedLimit limit, Keys names)
      throws IOException {
    final Random random = new Random(Traffic.SEED);
    final String length = "$" + names.name(0).length + "\r\n";
    final StringBuilder parts = new StringBuilder();
    // A batch may begin anywhere in the first part, and is whole in any case.
    for (int i = 0; i < KEYS_SENT + MAX_BATCH; i++) {
      parts.append(length);
      parts.append(new String(names.any(random), StandardCharsets.US_ASCII)).append("\r\n");
    }
    keys = bytes(parts.toString());
    keyBytes = keys.length / (KEYS_SENT + MAX_BATCH);
    for (int n = 1; n <= MAX_BATCH; n++) {
      final String number = Integer.toString(n);
      heads[n] =
          bytes(
              "*"
                  + (4 + n)
                  + "\r\n$7\r\nEVALSHA\r\n$40\r\n"
                  + sha1
                  + "\r\n$"
                  + number.length()
                  + "\r\n"
                  + number
                  + "\r\n");
      final byte[] argument = limit.argument(n, 1);
      final ByteBuffer part = ByteBuffer.allocate(argument.length + 16);
      part.put(bytes("$" + argument.length + "\r\n")).put(argument).put(bytes("\r\n"));
      arguments[n] = Arrays.copyOf(part.array(), part.position());
    }
    channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Sends one batch at least.
   *
   * @param perSecond arrivals; infinity keeps every batch full and leaves no latencies.
   */
  void run(double seconds, double perSecond) throws IOException {
    latencies.reset();
    calls = 0;
    checks = 0;
    final boolean endless = perSecond == Double.POSITIVE_INFINITY;
    final long total = endless ? Long.MAX_VALUE : Math.max(1, (long) (seconds * perSecond));
    final double gapNs = 1e9 / perSecond;
    final long startNs = System.nanoTime();
    final long endNs = startNs + (long) (seconds * 1e9);
    while (checks < total) {
      final long nowNs = System.nanoTime();
      if (endless && checks > 0 && nowNs >= endNs) {
        return;
      }
      final long due = endless ? total : Math.min(total, 1 + (long) ((nowNs - startNs) / gapNs));
      final int batch = (int) Math.min(MAX_BATCH, due - checks);
      if (batch == 0) {
        Thread.onSpinWait();
        continue;
      }
      exchange(batch);
      if (!endless) {
        final long doneNs = System.nanoTime();
        for (int i = 0; i < batch; i++) {
          latencies.recordValue(doneNs - startNs - (long) ((checks + i) * gapNs));
        }
      }
      checks += batch;
      calls++;
    }
  }

  private void exchange(int batch) throws IOException {
    frame.clear();
    frame.put(heads[batch]).put(keys, nextKey * keyBytes, batch * keyBytes).put(arguments[batch]);
    nextKey = (nextKey + batch) % KEYS_SENT;
    frame.flip();
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
    do {
      received.clear();
      if (channel.read(received) < 0) {
        throw new IOException("redis has closed the connection");
      }
    } while (counter.consume(received.flip()) == 0);
  }

  /** Of the last run. */
  long checks() {
    return checks;
  }

  /** Of the last run. */
  long calls() {
    return calls;
  }

  /** Of the last run, in nanoseconds from when a check was due. */
  Histogram latencies() {
    return latencies;
  }

  long errors() {
    return counter.errors();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
