package dev.weir.proxy.cli;

import dev.weir.proxy.loop.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks the admin port of a running sidecar for a page. */
final class AdminPort {
  /** The longest target, as the admin port takes no longer ones. */
  private static final int MAX_TARGET_BYTES = 15 << 10;

  private static final int MAX_ANSWER_BYTES = 4 << 20;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SocketAddress address;
  private final Duration patience;

  AdminPort(SocketAddress address) {
    this(address, PATIENCE);
  }

  /**
   * @param patience for the whole answer.
   */
  AdminPort(SocketAddress address, Duration patience) {
    this.address = address;
    this.patience = patience;
  }

  /** The parameters of a page's target. */
  static final class Parameters {
    private final StringJoiner text = new StringJoiner("&", "?", "").setEmptyValue("");

    /** Adds one; a null value adds none. */
    Parameters add(String name, String value) {
      if (value != null) {
        text.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
      return this;
    }
  }

  /** An answer: its status, and its body as text. */
  record Answer(int status, String body) {}

  /**
   * Gets a page.
   *
   * @throws IOException if nobody answers in time; its message names the address.
   */
  Answer get(String path, Parameters parameters) throws IOException {
    String target = path + parameters.text;
    if (target.length() > MAX_TARGET_BYTES) {
      throw new IOException(
          "request: too long for the admin port (expected: " + MAX_TARGET_BYTES + " bytes)");
    }
    String head = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    byte[] answer;
    try {
      answer = withinPatience(() -> exchange(head.getBytes(StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      throw new IOException(Addresses.text(address) + ": " + e.getMessage(), e);
    }
    String text = new String(answer, StandardCharsets.UTF_8);
    int bodyAt = text.indexOf("\r\n\r\n");
    if (bodyAt < 0 || !text.matches("(?s)HTTP/1\\.1 [0-9]{3} .*")) {
      throw new IOException(Addresses.text(address) + ": no answer of an admin port");
    }
    return new Answer(Integer.parseInt(text.substring(9, 12)), text.substring(bodyAt + 4));
  }

  private byte[] exchange(byte[] request) throws IOException {
    SocketAddress resolved = address;
    if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
      InetSocketAddress found = new InetSocketAddress(inet.getHostString(), inet.getPort());
      if (found.isUnresolved()) {
        throw new IOException("the host name does not resolve");
      }
      resolved = found;
    }
    try (SocketChannel channel = SocketChannel.open(resolved)) {
      ByteBuffer out = ByteBuffer.wrap(request);
      while (out.hasRemaining()) {
        channel.write(out);
      }
      return Channels.newInputStream(channel).readNBytes(MAX_ANSWER_BYTES);
    }
  }

  /** Runs blocking steps on a thread of their own, which is interrupted when they take too long. */
  private byte[] withinPatience(Callable<byte[]> steps) throws IOException {
    FutureTask<byte[]> task = new FutureTask<>(steps);
    Thread thread = new Thread(task, "weir-ask-admin");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException fault) {
        throw fault;
      }
      throw new IllegalStateException(failed.getCause());
    } catch (TimeoutException late) {
      throw new IOException("no whole answer within " + patience.toMillis() / 1e3 + " s", late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    } finally {
      task.cancel(true);
    }
  }
}
