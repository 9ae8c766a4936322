package dev.weir.bench.http2;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One stream that is open both ways for minutes, a message each way every 100 ms: the rules are
 * read again in the middle of it, other requests come and go beside it, and when it is old the
 * sidecar is told to end. It has to say so by GOAWAY, let the stream end by itself, and end then.
 */
final class LongStream implements Proof {
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 30_000;
  private static final int AFTER_DRAIN = 50;

  private final int seconds;
  private int others;
  private int lastOther = 1;
  private int goAways;

  LongStream(int seconds) {
    this.seconds = seconds;
  }

  private static String settings(Http2Service service, String limit) {
    return "upstream: h2c://127.0.0.1:"
        + service.port()
        + "\ntimeouts: {drain: 60s}\nrules:\n  - {id: other, match: {path: /other}, key: ip, limit: "
        + limit
        + "}\n  - {id: all, key: ip, limit: 1000000/1s}\n";
  }

  @Override
  public void run(Path folder, ProofReport report) throws IOException {
    try (Http2Service service = new Http2Service();
        Sidecar weir = new Sidecar(folder, settings(service, "1000000/1s"));
        FrameSocket stream = weir.connect();
        FrameSocket other = weir.connect()) {
      stream.number(FrameType.WINDOW_UPDATE, 0, 1 << 30);
      other.number(FrameType.WINDOW_UPDATE, 0, 1 << 30);
      stream.headers(1, false, Blocks.request("POST", "/=e", "content-type", "application/grpc"));
      final long startNs = System.nanoTime();
      boolean reloaded = false;
      int messages = 0;
      while (System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(seconds)) {
        exchange(stream, messages++);
        passes(other, !reloaded);
        if (!reloaded && System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(seconds) / 2) {
          reloaded = true;
          weir.write(settings(service, "1/365d"));
          weir.signal("HUP");
          while (isPassed(other)) {
            LockSupport.parkNanos(PAUSE_NS); // the rules are being read
          }
        }
        LockSupport.parkNanos(PAUSE_NS);
      }
      weir.signal("TERM");
      for (int i = 0; i < AFTER_DRAIN; i++) {
        exchange(stream, messages++);
      }
      end(stream);
      final long endNs = System.nanoTime();
      while (weir.isAlive() && System.nanoTime() - endNs < TimeUnit.SECONDS.toNanos(10)) {
        LockSupport.parkNanos(PAUSE_NS);
      }
      ProofReport.require(!weir.isAlive(), "Weir has not ended behind its last stream");
      report.table("stream", "messages each way", "other requests", "ended");
      report.row(seconds + " s", messages, others, "by END_STREAM, behind two GOAWAYs");
    }
  }

  /** Sends a message, and reads until as much has come back. */
  private void exchange(FrameSocket stream, int number) throws IOException {
    final byte[] message = new byte[number % 10 == 0 ? LARGE_BYTES : SMALL_BYTES];
    ByteBuffer.wrap(message).put((byte) 0).putInt(message.length - 5).putInt(number);
    for (int sent = 0; sent < message.length; sent += 15_000) {
      final byte[] part =
          Arrays.copyOfRange(message, sent, Math.min(message.length, sent + 15_000));
      stream.data(1, false, part);
    }
    stream.flush();
    final ByteBuffer back = ByteBuffer.allocate(message.length);
    while (back.hasRemaining()) {
      final FrameSocket.Frame frame = stream.read();
      if (frame.type() == FrameType.DATA && frame.streamId() == 1) {
        ProofReport.require(!frame.has(FrameFlag.END_STREAM), "the stream was ended");
        back.put(frame.payload());
      } else {
        control(stream, frame);
      }
    }
    stream.number(FrameType.WINDOW_UPDATE, 1, message.length);
    ProofReport.require(
        Arrays.equals(message, back.array()), "message " + number + " came back unlike");
  }

  private void control(FrameSocket stream, FrameSocket.Frame frame) throws IOException {
    ProofReport.require(frame.type() != FrameType.RST_STREAM, "the stream was reset");
    goAways += frame.type() == FrameType.GOAWAY ? 1 : 0;
    if (frame.type() == FrameType.PING && !frame.has(FrameFlag.ACK)) {
      stream.frame(FrameType.PING, FrameFlag.ACK, 0, frame.payload());
      stream.flush();
    }
  }

  /** Ends the client's side, and reads until the other has ended, and then the connection. */
  private void end(FrameSocket stream) throws IOException {
    stream.data(1, true);
    stream.flush();
    boolean ended = false;
    try {
      while (true) {
        final FrameSocket.Frame frame = stream.read();
        control(stream, frame);
        ended |= frame.streamId() == 1 && frame.has(FrameFlag.END_STREAM);
      }
    } catch (EOFException | SocketException closed) {
      ProofReport.require(ended, "the connection was closed before the stream's end");
      ProofReport.require(goAways == 2, goAways + " times GOAWAY came");
    }
  }

  private void passes(FrameSocket other, boolean expected) throws IOException {
    ProofReport.require(isPassed(other) == expected, "other requests do not follow the rules");
  }

  private boolean isPassed(FrameSocket other) throws IOException {
    final int id = lastOther;
    lastOther += 2;
    others++;
    other.headers(id, true, Blocks.request("GET", "/other"));
    other.flush();
    boolean passed = false;
    while (true) {
      final FrameSocket.Frame frame = other.read();
      ProofReport.require(frame.type() != FrameType.RST_STREAM, "another request was reset");
      if (frame.streamId() == id) {
        // The field :status: 200 of the static table.
        passed |= frame.type() == FrameType.HEADERS && frame.payload()[0] == (byte) 0x88;
        if (frame.has(FrameFlag.END_STREAM)) {
          return passed;
        }
      }
    }
  }
}
