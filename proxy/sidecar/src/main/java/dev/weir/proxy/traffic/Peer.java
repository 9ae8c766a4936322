package dev.weir.proxy.traffic;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One end of a connection with a sidecar, as a client or as the service. A plain socket: handlers
 * on the event loops would be compiled in among those of real connections. Used by one thread.
 */
abstract class Peer implements Closeable {
  private static final int FIRST_BUFFER_BYTES = 16 << 10;

  /** More than any message of these conversations. */
  private static final int MAX_BUFFER_BYTES = 4 << 20;

  private final SocketChannel channel;
  private int openCount;
  private ByteBuffer in = ByteBuffer.allocate(FIRST_BUFFER_BYTES);

  /**
   * @param channel connected, and not blocking.
   */
  Peer(SocketChannel channel) {
    this.channel = channel;
  }

  /** Sends the next requests, by a client that goes on by itself; others are told what to send. */
  void send() throws IOException {}

  /** Requests were sent that want an answer each. */
  final void asked(int count) {
    openCount += count;
  }

  /** One of them has its answer. */
  final void answered() {
    openCount--;
  }

  /** How many of those that were sent have no answer yet. */
  final int openCount() {
    return openCount;
  }

  /** Has a selector tell when there is something to be read. */
  final void register(Selector selector) throws IOException {
    channel.register(selector, SelectionKey.OP_READ, this);
  }

  /**
   * Takes what has come.
   *
   * @return false if the other side has ended the connection.
   * @throws IOException if it broke, or what came is not what these conversations are of.
   */
  final boolean read() throws IOException {
    int count = channel.read(in);
    in.flip();
    while (take(in)) {
      continue;
    }
    in.compact();
    if (!in.hasRemaining()) {
      grow();
    }
    return count >= 0;
  }

  private void grow() throws IOException {
    if (in.capacity() == MAX_BUFFER_BYTES) {
      throw new IOException("a message of more than " + MAX_BUFFER_BYTES + " bytes");
    }
    in = ByteBuffer.allocate(2 * in.capacity()).put(in.flip());
  }

  /**
   * Takes the next message, if it is whole.
   *
   * @return false, and nothing taken, if it is not.
   */
  abstract boolean take(ByteBuffer received) throws IOException;

  /** Sends bytes, which are few: they fit what the system holds of a connection. */
  final void write(ByteBuffer bytes) throws IOException {
    channel.write(bytes);
    if (bytes.hasRemaining()) {
      throw new EOFException("what was sent is not taken");
    }
  }

  @Override
  public final void close() throws IOException {
    channel.close();
  }
}
