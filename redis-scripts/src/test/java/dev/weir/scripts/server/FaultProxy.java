package dev.weir.scripts.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP proxy on 127.0.0.1 that spoils what passes, as told at run time. Each method that sets a
 * fault ends the one before and holds for all connections, those which are open too, until the next
 * is set. A connection that its server ends or refuses is closed, as is the server's when the
 * client ends it.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BACKLOG = 1024;

  private final ServerSocket listener;
  private final int serverPort;
  private final Set<FaultyConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong accepted = new AtomicLong();
  private Fault fault = Fault.NONE;
  private int repliesToDrop;

  /** In front of a port of 127.0.0.1, which need not be open yet; passes everything. */
  public FaultProxy(int serverPort) throws IOException {
    this.serverPort = serverPort;
    listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    daemon(this::accept, "accept").start();
  }

  public int port() {
    return listener.getLocalPort();
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }

  /** No fault. */
  public void pass() {
    set(Fault.NONE);
  }

  /** Whatever the server sends arrives so much later, in order and without loss. */
  public void delayReplies(int delayMs) {
    set(new Fault(Fault.Kind.DELAY, delayMs, 0, null));
  }

  /** The next chunks that the server sends, over all connections, are lost; then all pass. */
  public synchronized void dropReplies(int chunkCount) {
    repliesToDrop = chunkCount;
    set(new Fault(Fault.Kind.DROP, 0, 0, null));
  }

  /**
   * Nothing passes either way, not even the end of a connection; new ones are accepted. As after a
   * cut in the network, what is held passes when the fault ends.
   */
  public void blackhole() {
    set(new Fault(Fault.Kind.BLACKHOLE, 0, 0, null));
  }

  /** Whatever the server sends arrives in pieces of so many bytes, one after each pause. */
  public void trickle(int pieceBytes, int everyMs) {
    set(new Fault(Fault.Kind.TRICKLE, everyMs, pieceBytes, null));
  }

  /** Answers each chunk of requests with bytes that no version of RESP knows. */
  public void garbage() {
    answer(new byte[] {0, (byte) 0xff, 'h', '\r', '\n', (byte) 0x80, 7, '\r', '\n'});
  }

  /** Answers each chunk of requests with that (Latin-1) and does not forward it. */
  public void reply(String resp) {
    answer(resp.getBytes(StandardCharsets.ISO_8859_1));
  }

  private void answer(byte[] answer) {
    set(new Fault(Fault.Kind.ANSWER, 0, 0, answer));
  }

  /** Resets (RST) each connection, at once if open, after the accept if new. */
  public void refuse() {
    set(new Fault(Fault.Kind.REFUSE, 0, 0, null));
    open.forEach(FaultyConnection::reset);
  }

  /** How many connections were accepted since the start, refused ones too. */
  public long acceptedCount() {
    return accepted.get();
  }

  /** How many connections are open now. */
  public int openCount() {
    return open.size();
  }

  private synchronized void set(Fault next) {
    fault = next;
    notifyAll();
  }

  synchronized Fault fault() {
    return fault;
  }

  /** Whether a chunk from the server is one of those to lose. */
  synchronized boolean dropsReply() {
    if (fault.kind() != Fault.Kind.DROP || repliesToDrop == 0) {
      return false;
    }
    repliesToDrop--;
    return true;
  }

  /** How many chunks are still to be lost. */
  synchronized int repliesToDrop() {
    return repliesToDrop;
  }

  /** Waits until the fault is another, or so long; 0 is for ever. */
  synchronized void awaitOther(Fault than, long timeoutMs) throws InterruptedException {
    final long end = System.nanoTime() + timeoutMs * 1_000_000;
    while (fault == than) {
      final long leftNs = end - System.nanoTime();
      if (timeoutMs != 0 && leftNs <= 0) {
        return;
      }
      wait(timeoutMs == 0 ? 0 : leftNs / 1_000_000 + 1);
    }
  }

  private void accept() {
    while (true) {
      try {
        final Socket client = listener.accept();
        accepted.incrementAndGet();
        final FaultyConnection connection = new FaultyConnection(this, client, serverPort);
        open.add(connection);
        // Either this sees the refusal or the end, or those see the connection.
        if (fault().kind() == Fault.Kind.REFUSE || listener.isClosed()) {
          connection.reset();
        } else {
          connection.start();
        }
      } catch (IOException e) {
        if (listener.isClosed()) {
          return;
        }
      }
    }
  }

  void ended(FaultyConnection connection) {
    open.remove(connection);
  }

  static Thread daemon(Runnable task, String name) {
    final Thread thread = new Thread(task, "fault-proxy-" + name);
    thread.setDaemon(true);
    return thread;
  }

  /** Ends every connection and its threads, and stops accepting. */
  @Override
  public void close() throws IOException {
    listener.close();
    // Those that wait in a fault find their sockets closed.
    open.forEach(FaultyConnection::close);
    pass();
  }
}
