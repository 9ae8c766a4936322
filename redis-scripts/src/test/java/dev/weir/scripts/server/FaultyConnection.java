package dev.weir.scripts.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection through a {@link FaultProxy}: one thread carries requests; one reads replies and
 * notes when they came, and one hands them on, so that a delay does not add up.
 */
final class FaultyConnection {
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int QUEUED_CHUNKS = 1024;
  private static final Chunk END = new Chunk(new byte[0], 0);

  private final FaultProxy proxy;
  private final Socket client;
  private final int serverPort;
  private final BlockingQueue<Chunk> replies = new LinkedBlockingQueue<>(QUEUED_CHUNKS);
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Connected when first needed: what answers by itself needs no server. */
  private volatile Socket server;

  private record Chunk(byte[] bytes, long cameNs) {}

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  FaultyConnection(FaultProxy proxy, Socket client, int serverPort) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.serverPort = serverPort;
    client.setTcpNoDelay(true);
  }

  void start() {
    start(this::carryRequests, "requests");
  }

  private void start(Step step, String name) {
    final Thread thread =
        FaultProxy.daemon(
            () -> {
              try {
                step.run();
              } catch (IOException | InterruptedException e) {
                // Either side has broken it; the other learns of it now.
                close();
              }
            },
            name);
    threads.add(thread);
    thread.start();
  }

  private void carryRequests() throws IOException, InterruptedException {
    if (proxy.fault().kind() != Fault.Kind.BLACKHOLE && proxy.fault().kind() != Fault.Kind.ANSWER) {
      connect();
    }
    final byte[] buffer = new byte[CHUNK_BYTES];
    while (true) {
      final int length = client.getInputStream().read(buffer);
      final Fault fault = passable();
      if (length < 0) {
        close();
        return;
      }
      if (fault.kind() == Fault.Kind.ANSWER) {
        answer(fault.answer(), 0, fault.answer().length);
      } else {
        connect();
        server.getOutputStream().write(buffer, 0, length);
      }
    }
  }

  private void connect() throws IOException {
    if (server == null) {
      server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      server.setTcpNoDelay(true);
      start(this::readReplies, "replies");
      start(this::carryReplies, "answers");
      if (ended.get()) {
        release();
      }
    }
  }

  private void readReplies() throws InterruptedException {
    final byte[] buffer = new byte[CHUNK_BYTES];
    try {
      for (int n = server.getInputStream().read(buffer);
          n >= 0;
          n = server.getInputStream().read(buffer)) {
        replies.put(new Chunk(Arrays.copyOf(buffer, n), System.nanoTime()));
      }
    } catch (IOException e) {
      // Ends as an orderly end does: in its turn.
    }
    replies.put(END);
  }

  private void carryReplies() throws IOException, InterruptedException {
    for (Chunk chunk = replies.take(); ; chunk = replies.take()) {
      Fault fault = passable();
      while (fault.kind() == Fault.Kind.DELAY && chunk != END) {
        final long waitMs = fault.waitMs() - (System.nanoTime() - chunk.cameNs) / 1_000_000;
        if (waitMs <= 0) {
          break;
        }
        proxy.awaitOther(fault, waitMs);
        fault = passable();
      }
      if (chunk == END) {
        close();
        return;
      }
      if (!proxy.dropsReply()) {
        deliver(chunk.bytes, fault);
      }
    }
  }

  private void deliver(byte[] bytes, Fault fault) throws IOException, InterruptedException {
    int at = 0;
    Fault now = fault;
    while (now.kind() == Fault.Kind.TRICKLE && at < bytes.length) {
      final int length = Math.min(now.pieceBytes(), bytes.length - at);
      answer(bytes, at, length);
      at += length;
      proxy.awaitOther(now, now.waitMs());
      now = passable();
    }
    answer(bytes, at, bytes.length - at);
  }

  private void answer(byte[] bytes, int offset, int length) throws IOException {
    synchronized (client) {
      client.getOutputStream().write(bytes, offset, length);
    }
  }

  /** Waits while nothing may pass. */
  private Fault passable() throws InterruptedException {
    Fault fault = proxy.fault();
    while (fault.kind() == Fault.Kind.BLACKHOLE) {
      proxy.awaitOther(fault, 0);
      fault = proxy.fault();
    }
    return fault;
  }

  void reset() {
    try {
      client.setSoLinger(true, 0);
    } catch (IOException e) {
      // It has ended by itself.
    }
    close();
  }

  void close() {
    if (ended.compareAndSet(false, true)) {
      proxy.ended(this);
      release();
    }
  }

  private void release() {
    closeQuietly(client);
    if (server != null) {
      closeQuietly(server);
    }
    threads.forEach(Thread::interrupt);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Closed either way.
    }
  }
}
