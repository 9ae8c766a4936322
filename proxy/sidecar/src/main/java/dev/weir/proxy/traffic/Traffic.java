package dev.weir.proxy.traffic;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Both ends of a sidecar's connections, on 127.0.0.1: a service that it can stand in front of, and
 * clients. Used by one thread at a time, but for {@link #stop}. The service answers while somebody
 * {@linkplain #exchange exchanges} or {@linkplain #serve serves}.
 */
public final class Traffic implements Closeable {
  /** How many requests each user makes, one after the other. */
  public static final int REQUESTS_OF_USER = 4;

  /** Between the users of two clients: more than one of them gets through. */
  private static final int USERS_OF_CLIENT = 1 << 20;

  private final boolean isHttp2Service;
  private final Selector selector;
  private final ServerSocketChannel service;
  private final List<Peer> clients = new ArrayList<>();
  private int sentCount;
  private int servedCount;
  private volatile int answeredCount;
  private volatile boolean isStopped;

  /**
   * Makes the service, which listens.
   *
   * @param isHttp2Service whether it speaks HTTP/2 with prior knowledge; else HTTP/1.1.
   * @throws IOException if there is no listening on 127.0.0.1.
   */
  public Traffic(boolean isHttp2Service) throws IOException {
    this.isHttp2Service = isHttp2Service;
    selector = Selector.open();
    try {
      service = ServerSocketChannel.open();
      service.bind(new InetSocketAddress(loopback(), 0));
      service.configureBlocking(false);
      service.register(selector, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** 127.0.0.1, which is there without IPv6 too. */
  public static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  /** The address of the service. */
  public SocketAddress service() throws IOException {
    return service.getLocalAddress();
  }

  /** Connects clients of HTTP/1.1 with a sidecar that listens there. */
  public void connectHttp1(SocketAddress sidecar, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      add(new Http1Client(connected(sidecar), nextUser()));
    }
  }

  /** Connects clients of HTTP/2, by prior knowledge, with a sidecar that listens there. */
  public void connectHttp2(SocketAddress sidecar, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      add(new Http2Client(connected(sidecar), nextUser()));
    }
  }

  /**
   * Connects a program that asks the decision API, on a connection of its own.
   *
   * @param atOnce how many calls it makes at a time.
   * @param users about how many of them it asks.
   */
  public void connectCalls(SocketAddress sidecar, int atOnce, int users) throws IOException {
    add(new CallClient(connected(sidecar), atOnce, nextUser(), users));
  }

  /** Connects a client that is told what to ask of a server that speaks HTTP/1.1. */
  public TextClient connect(SocketAddress server) throws IOException {
    return add(new TextClient(connected(server)));
  }

  /** Connects a client that is told which calls to make of a server that speaks HTTP/2. */
  public TextCall connectCall(SocketAddress server) throws IOException {
    return add(new TextCall(connected(server)));
  }

  private int nextUser() {
    return clients.size() * USERS_OF_CLIENT;
  }

  private <C extends Peer> C add(C client) throws IOException {
    clients.add(client);
    client.register(selector);
    return client;
  }

  private static SocketChannel connected(SocketAddress sidecar) throws IOException {
    SocketChannel channel = SocketChannel.open(sidecar);
    channel.configureBlocking(false);
    return channel;
  }

  /**
   * Has each client send what it sends at a time, and waits for the answers; or for those that are
   * outstanding since the last time. Returns early once it was stopped.
   *
   * @param untilNs how long to wait, in the time of {@link System#nanoTime}.
   * @return whether all was answered.
   * @throws IOException if an answer is not what it should be, or a connection breaks.
   */
  public boolean exchange(long untilNs) throws IOException {
    if (!isAnyOpen()) {
      for (Peer client : clients) {
        client.send();
        sentCount += client.openCount();
      }
    }
    while (isAnyOpen()) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
      if (isStopped || leftMs <= 0) {
        return false;
      }
      serve(leftMs);
    }
    answeredCount = sentCount;
    return true;
  }

  /**
   * Lets the service answer what comes.
   *
   * @param mostMs how long to wait for the first of it, 1 or more.
   */
  public void serve(long mostMs) throws IOException {
    selector.select(mostMs);
    for (SelectionKey ready : selector.selectedKeys()) {
      serve(ready);
    }
    selector.selectedKeys().clear();
  }

  private boolean isAnyOpen() {
    for (Peer client : clients) {
      if (client.openCount() > 0) {
        return true;
      }
    }
    return false;
  }

  private void serve(SelectionKey ready) throws IOException {
    if (ready.attachment() instanceof Peer peer) {
      if (!peer.read()) {
        peer.close();
        if (clients.contains(peer)) {
          throw new IOException("a connection has ended");
        }
      }
      return;
    }
    SocketChannel accepted = service.accept();
    if (accepted != null) {
      accepted.configureBlocking(false);
      Peer peer =
          isHttp2Service
              ? new Http2Service(accepted, this::served)
              : new Http1Service(accepted, this::served);
      peer.register(selector);
    }
  }

  private void served() {
    servedCount++;
  }

  /** How many requests have reached the service. */
  public int servedCount() {
    return servedCount;
  }

  /** How many requests were answered in exchanges that are over. Any thread. */
  public int answeredCount() {
    return answeredCount;
  }

  /** Ends the exchange that is going on, and those to come. Any thread. */
  public synchronized void stop() {
    isStopped = true;
    if (selector.isOpen()) {
      selector.wakeup();
    }
  }

  /** Closes all connections, and listens no more. Any thread, once no exchange is going on. */
  @Override
  public synchronized void close() {
    if (selector.isOpen()) {
      selector.keys().forEach(key -> closeQuietly(key.channel()));
      closeQuietly(selector);
    }
  }

  private static void closeQuietly(Closeable what) {
    try {
      what.close();
    } catch (IOException e) {
      // Nothing of it is needed any more.
    }
  }
}
