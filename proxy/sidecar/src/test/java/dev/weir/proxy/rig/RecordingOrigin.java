package dev.weir.proxy.rig;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service that keeps every byte it is sent, and answers as told: a 200 with {@link #BODY}, unless
 * a test gives it another {@link Script}. Bytes are Latin-1 texts throughout.
 */
public final class RecordingOrigin implements AutoCloseable {
  /** The end of a line, and of an empty one behind it. */
  private static final int EMPTY_LINE = 0x0D0A0D0A;

  public static final String BODY = "origin";
  public static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n" + BODY;

  /** What happens with one request, from its first byte on. */
  public interface Script {
    void run(Conversation conversation) throws IOException, InterruptedException;
  }

  private final ServerSocket server;
  private final Set<Conversation> conversations = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> heads = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> broken = new LinkedBlockingQueue<>();
  private final AtomicInteger connectionCount = new AtomicInteger();
  private volatile Script script;

  public RecordingOrigin() throws IOException {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Listens at an address of its test's. */
  public RecordingOrigin(InetSocketAddress at) throws IOException {
    server = new ServerSocket(at.getPort(), 1000, at.getAddress());
    answer(OK);
    Thread acceptor = new Thread(this::accept, "origin-accept");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  public String address() {
    return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
  }

  public SocketAddress socketAddress() {
    return server.getLocalSocketAddress();
  }

  public int port() {
    return server.getLocalPort();
  }

  public String url() {
    return "http://" + address();
  }

  /** Answers each request to come with these bytes. */
  public void answer(String response) {
    script(
        conversation -> {
          conversation.request();
          conversation.send(response);
        });
  }

  public void script(Script newScript) {
    script = newScript;
  }

  /** The next whole request; fails if none comes. */
  public String nextRequest() throws InterruptedException {
    String request = requests.poll(60, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("the origin got no request");
    }
    return request;
  }

  /** The next head, whose body may still be on its way; fails if none comes. */
  public String nextHead() throws InterruptedException {
    String head = heads.poll(60, TimeUnit.SECONDS);
    if (head == null) {
      throw new AssertionError("the origin got no head");
    }
    return head;
  }

  public int requestCount() {
    return requests.size();
  }

  /** What had come of the request on the next connection that ended within one. */
  public String nextBroken() throws InterruptedException {
    String partial = broken.poll(60, TimeUnit.SECONDS);
    if (partial == null) {
      throw new AssertionError("no connection to the origin ended within a request");
    }
    return partial;
  }

  public int brokenCount() {
    return broken.size();
  }

  /** Forgets what has come so far. */
  public void forget() {
    requests.clear();
    heads.clear();
    broken.clear();
  }

  public int connectionCount() {
    return connectionCount.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Conversation conversation = new Conversation(server.accept());
        connectionCount.incrementAndGet();
        conversations.add(conversation);
        Thread thread = new Thread(conversation::run, "origin");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Conversation conversation : conversations) {
      conversation.socket.close();
    }
  }

  /** One connection, as the service sees it. */
  public final class Conversation {
    private final Socket socket;
    private final InputStream in;
    private final ByteArrayOutputStream request = new ByteArrayOutputStream();

    /**
     * The last four bytes of the request: only where a part of it may end is it looked at whole.
     */
    private int lastBytes;

    private Conversation(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
      socket.setTcpNoDelay(true);
    }

    private void run() {
      try (socket) {
        in.mark(1);
        // What had been read ahead can be read of a closed one, too.
        while (!socket.isClosed() && in.read() >= 0) {
          in.reset();
          script.run(this);
          in.mark(1);
        }
      } catch (IOException | InterruptedException ended) {
        if (request.size() > 0) {
          broken.add(request.toString(StandardCharsets.ISO_8859_1));
        }
      } finally {
        conversations.remove(this);
      }
    }

    public void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
    }

    public void end() throws IOException {
      socket.close();
    }

    /** Says that it sends no more; what comes can still be read. */
    public void endOutput() throws IOException {
      socket.shutdownOutput();
    }

    /** Ends the connection with a reset. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    /** Waits until the other side ends the connection. */
    public void awaitEnd() throws IOException {
      while (in.read() >= 0) {
        // Whatever comes is not looked at.
      }
    }

    public int read() throws IOException {
      return in.read();
    }

    /** What has not been read, for a script that reads in a way of its own. */
    public InputStream in() {
      return in;
    }

    /** For a script that has much to send. */
    public OutputStream out() throws IOException {
      return socket.getOutputStream();
    }

    /** Reads a head only; the body, if any, is read by {@link #body}. */
    public String head() throws IOException {
      request.reset();
      lastBytes = 0;
      do {
        take();
      } while (lastBytes != EMPTY_LINE);
      String head = request.toString(StandardCharsets.ISO_8859_1);
      heads.add(head);
      return head;
    }

    /** Reads and keeps a whole request. */
    public String request() throws IOException {
      body(head());
      String whole = request.toString(StandardCharsets.ISO_8859_1);
      request.reset();
      requests.add(whole);
      return whole;
    }

    private void body(String head) throws IOException {
      String lower = head.toLowerCase(Locale.ROOT);
      int at = lower.indexOf("\r\ncontent-length: ");
      if (lower.contains("\r\ntransfer-encoding: chunked\r\n")) {
        while (!chunkedEnds()) {
          take();
        }
      } else if (at >= 0) {
        int end = lower.indexOf('\r', at + 2);
        for (long left = Long.parseLong(lower.substring(at + 18, end).strip()); left > 0; left--) {
          take();
        }
      }
    }

    /** Not a parser: bodies of tests hold no line that is a zero. */
    private boolean chunkedEnds() {
      if (lastBytes != EMPTY_LINE) {
        return false;
      }
      String text = request.toString(StandardCharsets.ISO_8859_1);
      return text.lastIndexOf("\r\n0\r\n") > 0;
    }

    private void take() throws IOException {
      int b = in.read();
      if (b < 0) {
        throw new EOFException();
      }
      request.write(b);
      lastBytes = lastBytes << 8 | b;
    }
  }
}
