package dev.weir.proxy.cli.api;

import dev.weir.proxy.loop.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Asks the admin port of a running sidecar, with a connection for each request. */
public final class AdminPort {
  /** The longest target, as the admin port takes no longer ones. */
  private static final int MAX_TARGET_BYTES = 15 << 10;

  private static final int MAX_ANSWER_BYTES = 64 << 20;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SocketAddress address;
  private final Duration patience;

  /** Null if the port speaks in the clear. */
  private final SSLSocketFactory tls;

  public AdminPort(SocketAddress address) {
    this(address, PATIENCE, null);
  }

  /**
   * @param patience for the whole answer.
   * @param tls that the port speaks; null for none.
   */
  public AdminPort(SocketAddress address, Duration patience, SSLSocketFactory tls) {
    this.address = address;
    this.patience = patience;
    this.tls = tls;
  }

  /** The parameters of a page's target. */
  public static final class Parameters {
    private final StringJoiner text = new StringJoiner("&", "?", "").setEmptyValue("");

    /** Adds one; a null value adds none. */
    public Parameters add(String name, String value) {
      if (value != null) {
        text.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
      return this;
    }
  }

  /**
   * A request.
   *
   * @param fields its header fields, of which none needs escaping, beside Host and what frames it.
   * @param body null for none.
   */
  public record Request(
      String method, String path, Parameters parameters, Map<String, String> fields, byte[] body) {
    /** A request for a page. */
    static Request get(String path, Parameters parameters) {
      return new Request("GET", path, parameters, Map.of(), null);
    }

    private byte[] bytes() throws IOException {
      String target = path + parameters.text;
      if (target.length() > MAX_TARGET_BYTES) {
        throw new IOException(
            "request: too long for the admin port (expected: " + MAX_TARGET_BYTES + " bytes)");
      }
      StringBuilder head =
          new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
      fields.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
      head.append("Connection: close\r\n");
      if (body != null) {
        head.append("Content-Length: " + body.length + "\r\n");
      }
      byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
      byte[] all = Arrays.copyOf(headBytes, headBytes.length + (body == null ? 0 : body.length));
      if (body != null) {
        System.arraycopy(body, 0, all, headBytes.length, body.length);
      }
      return all;
    }
  }

  /**
   * An answer.
   *
   * @param fields its header fields, by their names in lower case.
   * @param body as text.
   */
  public record Answer(int status, Map<String, String> fields, String body) {
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 ([0-9]{3}) .*");

    /** Reads an answer; null if it is none of HTTP/1.1, or not the whole of one. */
    static Answer read(byte[] bytes) {
      int bodyAt = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
      if (bodyAt < 4) {
        return null;
      }
      String[] head = new String(bytes, 0, bodyAt, StandardCharsets.ISO_8859_1).split("\r\n", -1);
      Matcher status = STATUS.matcher(head[0]);
      if (!status.matches()) {
        return null;
      }
      Map<String, String> fields = new HashMap<>();
      for (int i = 1; !head[i].isEmpty(); i++) {
        int colon = head[i].indexOf(':');
        fields.put(
            head[i].substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT),
            head[i].substring(colon + 1).strip());
      }
      int length = bytes.length - bodyAt;
      String told = fields.getOrDefault("content-length", String.valueOf(length));
      return told.equals(String.valueOf(length))
          ? new Answer(
              Integer.parseInt(status.group(1)),
              fields,
              new String(bytes, bodyAt, length, StandardCharsets.UTF_8))
          : null;
    }
  }

  /** Gets a page, as {@link #ask} does. */
  public Answer get(String path, Parameters parameters) throws IOException {
    return ask(Request.get(path, parameters));
  }

  /**
   * Sends a request.
   *
   * @throws IOException if nobody answers in time; its message names the address.
   */
  public Answer ask(Request request) throws IOException {
    byte[] bytes = request.bytes();
    byte[] answer;
    try {
      answer = withinPatience(() -> exchange(bytes));
    } catch (IOException e) {
      throw new IOException(Addresses.text(address) + ": " + e.getMessage(), e);
    }
    Answer read = Answer.read(answer);
    if (read == null) {
      throw new IOException(Addresses.text(address) + ": no answer of an admin port");
    }
    return read;
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
      if (tls != null) {
        return exchange(request, channel.socket(), (InetSocketAddress) resolved);
      }
      ByteBuffer out = ByteBuffer.wrap(request);
      while (out.hasRemaining()) {
        channel.write(out);
      }
      return Channels.newInputStream(channel).readNBytes(MAX_ANSWER_BYTES);
    }
  }

  private byte[] exchange(byte[] request, Socket plain, InetSocketAddress to) throws IOException {
    try (SSLSocket socket =
        (SSLSocket) tls.createSocket(plain, to.getHostString(), to.getPort(), true)) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.getOutputStream().write(request);
      return socket.getInputStream().readNBytes(MAX_ANSWER_BYTES);
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
