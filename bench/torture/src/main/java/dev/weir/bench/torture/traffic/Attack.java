package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.plan.AttackPlan;
import dev.weir.bench.torture.plan.Condition;
import dev.weir.bench.torture.plan.Draw;
import dev.weir.bench.torture.plan.KeyPlan;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * A hostile client: one thread with many connections from an address of its own. Each step spoils
 * one connection; the oldest goes when there are as many as it may have, unless to hold them is the
 * attack.
 */
public final class Attack implements Runnable {
  private static final int CONNECT_MS = 2_000;
  private static final int STREAMS = 100;
  private static final int PAUSE_MS = 50;
  private static final int RECEIVE_BYTES = 4_096;
  private static final int FLOOD_CONNECTIONS = 1_200;
  private static final int FLOOD_STEP = 20;
  private static final int GROWING_CONNECTIONS = 150;
  private static final int UPLOADS = 3;
  private static final int FRAME_BYTES = 15_000;
  private static final int FRAMES_OF_BODY = 4;
  private static final int WINDOW = 65_535;
  private static final int MESSAGE_PREFIX = 5;
  private static final int FIELD_PREFIX = 3;

  /** The most bytes of a record of TLS. */
  private static final int RECORD_BYTES = (1 << 14) + 2_048;

  /** Loopback addresses of hostile clients begin here. */
  private static final int FIRST_ADDRESS = 20;

  private final AttackPlan plan;
  private final List<String> paths;
  private final Draw draw;
  private final Supplier<List<Target>> targets;
  private final Deque<Socket> open = new ArrayDeque<>();
  private long invented;
  private int streams = 1;
  private volatile boolean stopped;

  /** The connection that is being written to, maybe for long; null if none is. */
  private volatile Socket written;

  /**
   * @param paths where there are rules.
   * @param targets the sidecars to choose from, at any time.
   */
  public Attack(AttackPlan plan, List<String> paths, Draw draw, Supplier<List<Target>> targets) {
    this.plan = plan;
    this.paths = paths;
    this.draw = draw;
    this.targets = targets;
  }

  /** Ends it, with all connections. */
  public void stop() {
    stopped = true;
    final Socket inTheWay = written;
    if (inTheWay != null) {
      Sockets.close(inTheWay);
    }
  }

  @Override
  public void run() {
    final long beganNs = System.nanoTime();
    try {
      TimeUnit.MILLISECONDS.sleep(plan.fromMs());
      while (!stopped
          && System.nanoTime() - beganNs
              < TimeUnit.MILLISECONDS.toNanos(plan.fromMs() + plan.lastsMs())) {
        final boolean floods = plan.kind() == AttackPlan.Kind.STREAM_FLOOD;
        for (int i = 0; i < (floods ? FLOOD_STEP : 1) && !stopped; i++) {
          step();
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      while (!open.isEmpty()) {
        end(open.removeFirst());
      }
    }
  }

  private void step() {
    try {
      trickle();
      if (holds() && open.size() >= connections()) {
        return;
      }
      while (open.size() >= connections()) {
        end(open.removeFirst());
      }
      final Socket socket = connect();
      open.addLast(socket);
      written = socket;
      socket.getOutputStream().write(opening());
      written = null;
      if (plan.kind() == AttackPlan.Kind.HALF_CLOSED) {
        socket.shutdownOutput();
      }
    } catch (IOException e) {
      // The sidecar has ended the connection, or is away: the next step takes another.
      if (!open.isEmpty()) {
        end(open.removeLast());
      }
    }
  }

  /**
   * Whether what it holds is its weapon, so that nothing is opened in place of older connections.
   */
  private boolean holds() {
    return plan.kind() == AttackPlan.Kind.STREAM_FLOOD
        || plan.kind() == AttackPlan.Kind.UNREAD_UPLOADS
        || plan.kind() == AttackPlan.Kind.CHECK_BODIES
        || plan.kind() == AttackPlan.Kind.REFLECTIONS;
  }

  private int connections() {
    return switch (plan.kind()) {
      case STREAM_FLOOD -> FLOOD_CONNECTIONS;
      case CHECK_BODIES, REFLECTIONS -> GROWING_CONNECTIONS;
      default -> plan.connections();
    };
  }

  /** Sends more on all connections: a byte of a slow body or head, or another body or message. */
  private void trickle() {
    final byte[] more =
        switch (plan.kind()) {
          case SLOW_BODIES, SLOW_HEADS -> new byte[] {'x'};
          case CHECK_BODIES -> body(new Frames(), nextStream(), "/v1/check", "").bytes();
          case REFLECTIONS -> messages(new Frames()).bytes();
          default -> new byte[0];
        };
    if (more.length > 0) {
      open.removeIf(
          socket -> {
            try {
              // Window updates, and answers that would end the call if nobody read them.
              socket.getInputStream().skip(socket.getInputStream().available());
              written = socket;
              socket.getOutputStream().write(more);
              written = null;
              return false;
            } catch (IOException e) {
              Sockets.close(socket);
              return true;
            }
          });
    }
  }

  /** A stream that no connection has had: each has those of the steps behind its own. */
  private int nextStream() {
    streams += 2;
    return streams;
  }

  private Frames messages(Frames frames) {
    final byte[] message = new byte[FRAME_BYTES];
    final int length = FRAME_BYTES - MESSAGE_PREFIX;
    message[3] = (byte) (length >>> 8);
    message[4] = (byte) length;
    // One field, a name that nothing has.
    message[5] = 4 << 3 | 2;
    final int name = length - FIELD_PREFIX;
    message[6] = (byte) (name & 127 | 128);
    message[7] = (byte) (name >>> 7);
    Arrays.fill(message, MESSAGE_PREFIX + FIELD_PREFIX, FRAME_BYTES, (byte) 'x');
    for (int i = 0; i < FRAMES_OF_BODY; i++) {
      frames.data(1, false, message);
    }
    return frames;
  }

  private void end(Socket socket) {
    if (draw.chance(50)) {
      Sockets.reset(socket);
    } else {
      Sockets.close(socket);
    }
  }

  private Socket connect() throws IOException {
    final List<Target> all = targets.get();
    final Target target = holds() ? all.get(plan.connections() % all.size()) : draw.of(all);
    final Socket socket = new Socket();
    try {
      if (plan.kind() == AttackPlan.Kind.UNREAD_HTTP1
          || plan.kind() == AttackPlan.Kind.UNREAD_HTTP2) {
        socket.setReceiveBufferSize(RECEIVE_BYTES);
      }
      final byte[] source = {127, 0, 0, (byte) (FIRST_ADDRESS + plan.number())};
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(source), 0));
      final boolean decision =
          switch (plan.kind()) {
            case WATCHES, CHECK_BODIES, REFLECTIONS -> true;
            case BAD_SERVICE, STREAM_FLOOD, UNREAD_UPLOADS -> false;
            default -> draw.chance(20);
          };
      final int port =
          plan.kind() == AttackPlan.Kind.ABORTED_HANDSHAKES
              ? target.tlsPort()
              : decision ? target.decisionPort() : target.port();
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
      socket.setSoTimeout(CONNECT_MS);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** What a connection begins with, and often all that it sends. */
  private byte[] opening() throws IOException {
    return switch (plan.kind()) {
      case UNREAD_UPLOADS -> {
        final Frames frames = new Frames(WINDOW);
        for (int i = 0; i < UPLOADS; i++) {
          body(frames, 2 * i + 1, path(), "unread");
        }
        yield frames.bytes();
      }
      case CHECK_BODIES -> body(new Frames(WINDOW), nextStream(), "/v1/check", "").bytes();
      case REFLECTIONS -> {
        final Frames frames = new Frames(WINDOW);
        frames.head(1, false, "POST", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
        frames.field("content-type", "application/grpc").field("te", "trailers").end();
        yield messages(frames).bytes();
      }
      case ENDLESS_STREAMS, STREAM_FLOOD -> streams("POST", "echo", 65_535, "").bytes();
      case UNREAD_HTTP2 -> streams("GET", "large", 0, "").bytes();
      case UNREAD_HTTP1 -> ascii(head("GET", "large") + "\r\n");
      case SLOW_BODIES -> ascii(head("POST", "echo") + "Content-Length: 100000\r\n\r\n");
      case SLOW_HEADS -> ascii("GET " + path() + " HTTP/1.1\r\nHost: a\r\nX-Slow: ");
      case CUT_REQUESTS -> cut();
      case GARBAGE -> garbage();
      case RAPID_RESETS -> {
        final Frames frames = streams("GET", "echo", 65_535, "");
        for (int i = 0; i < STREAMS; i++) {
          frames.reset(2 * i + 1);
        }
        yield frames.bytes();
      }
      case INVENTED_IDENTITIES -> {
        final StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 20; i++) {
          requests.append(head("GET", "echo")).append("\r\n");
        }
        yield ascii(requests.toString());
      }
      case HALF_CLOSED -> ascii(head("POST", "echo,slow") + "Content-Length: 5\r\n\r\nhello");
      case WATCHES -> streams("POST", "echo", 65_535, "/grpc.health.v1.Health/Watch").bytes();
      case ABORTED_HANDSHAKES -> clientHello();
      case BAD_SERVICE ->
          ascii(head("GET", draw.of("silent", "reset", "lie", "echo,slow")) + "\r\n");
    };
  }

  private String path() {
    final boolean isFree =
        plan.kind() == AttackPlan.Kind.STREAM_FLOOD
            || plan.kind() == AttackPlan.Kind.UNREAD_UPLOADS;
    // A free attack asks where no rule refuses it.
    return (isFree ? "/free/" : draw.of(paths)) + "hostile" + Condition.REQUESTED_QUERY;
  }

  /** A head without its end, of an identity that no honest client has. */
  private String head(String method, String conduct) {
    final StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(path()).append(" HTTP/1.1\r\nHost: ");
    head.append(Condition.REQUESTED_HOST).append("\r\n");
    fields().forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    return head.append(Question.CONDUCT).append(": ").append(conduct).append("\r\n").toString();
  }

  /** The fields that rules read. */
  private Map<String, String> fields() {
    final Map<String, String> fields = new LinkedHashMap<>();
    fields.put(Condition.FIELD, Condition.FIELD_VALUE);
    KeyPlan.FIELDS.forEach(field -> fields.put(field, identity()));
    return fields;
  }

  private String identity() {
    return switch (plan.kind()) {
      case INVENTED_IDENTITIES -> "invented" + plan.number() + "-" + invented++;
      default -> "hostile" + plan.number();
    };
  }

  private Frames streams(String method, String conduct, int window, String call) {
    final Frames frames = new Frames(window);
    for (int i = 0; i < STREAMS; i++) {
      final int stream = 2 * i + 1;
      if (call.isEmpty()) {
        frames.head(stream, method.equals("GET"), method, path());
      } else {
        frames.head(stream, false, method, call);
        frames.field("content-type", "application/grpc").field("te", "trailers");
      }
      fields().forEach(frames::field);
      frames.field(Question.CONDUCT, conduct).end();
      if (!call.isEmpty()) {
        frames.data(stream, true, new byte[5]);
      }
    }
    return frames;
  }

  /** A request with the beginning of a long body. */
  private Frames body(Frames frames, int stream, String to, String conduct) {
    frames.head(stream, false, "POST", to).field("content-type", "application/json");
    fields().forEach(frames::field);
    frames.field(Question.CONDUCT, conduct).end();
    for (int frame = 0; frame < FRAMES_OF_BODY; frame++) {
      frames.data(stream, false, new byte[FRAME_BYTES]);
    }
    return frames;
  }

  private byte[] cut() {
    final byte[] whole =
        draw.chance(50)
            ? ascii(
                head("POST", "echo") + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            : streams("POST", "echo", 65_535, "").bytes();
    return Arrays.copyOf(whole, 1 + draw.below(whole.length));
  }

  private byte[] garbage() {
    return switch (draw.below(5)) {
      case 0 -> Content.of(invented++, 2_000);
      case 1 -> ascii(head("GET", "echo") + "X-Large: " + "y".repeat(70_000) + "\r\n\r\n");
      case 2 ->
          ascii(head("POST", "echo") + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
      case 3 -> {
        final Frames frames = new Frames(65_535);
        for (int i = 0; i < 50; i++) {
          frames.raw(
              draw.below(12),
              draw.below(256),
              draw.below(9),
              Content.of(invented++, draw.below(60)));
        }
        yield frames.bytes();
      }
      default -> ascii("GET /%00/../%2f HTTP/1.1\r\nHost: a\r\nHost : b\r\n\r\n");
    };
  }

  /** The first message of a handshake, as it is, cut short, or with a byte that differs. */
  private byte[] clientHello() throws IOException {
    final ByteBuffer hello = ByteBuffer.allocate(RECORD_BYTES);
    try {
      final SSLEngine client = SSLContext.getDefault().createSSLEngine("localhost", 0);
      client.setUseClientMode(true);
      client.wrap(ByteBuffer.allocate(0), hello);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    switch (draw.below(3)) {
      case 0 -> hello.position(1 + draw.below(hello.position()));
      case 1 -> {
        final int at = draw.below(hello.position());
        hello.put(at, (byte) (hello.get(at) + 1 + draw.below(255)));
      }
      default -> {
        // The answer is whole: the sidecar sends all that it has.
      }
    }
    return Arrays.copyOf(hello.array(), hello.position());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
