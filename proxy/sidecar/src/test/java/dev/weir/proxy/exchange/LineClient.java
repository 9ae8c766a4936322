package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The client's side of a protocol made up for tests: lines go in, lines come out, and a client has
 * credit for so many bytes as it says. What is sent is one of
 *
 * <pre>
 * POST /path length    length: of the body; - for none, * for one that is told by its end
 * POST /path length n  the same, and the response is worth nothing after n ms; pauses in the place
 *                      of n: the body may pause
 * data text            some of the body
 * end                  the last of it
 * trailers a=b ...     the last of it, with trailer fields
 * cut                  no more of it will come, though that was not all
 * cancel               the client has left
 * cancel code          the client has left, for a reason of HTTP/2
 * credit n             n more bytes may come
 * </pre>
 */
final class LineClient extends RecordingClient {
  /** Credit that no test uses up. */
  static final int UNBOUNDED = Integer.MAX_VALUE;

  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /** Bytes of the response that have come, and that there was no credit for. */
  final AtomicInteger heldBytes = new AtomicInteger();

  /** Bytes of the request that the service has not consumed. */
  final AtomicInteger unconsumedBytes = new AtomicInteger();

  private int credit;
  private boolean cutOff;

  LineClient(EventLoop eventLoop, LoopClock clock, RequestLoop loop, int credit) {
    super(loop);
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.credit = credit;
  }

  /** Sends lines, and returns when they have been taken, all in one turn of the event loop. */
  void send(String... lines) {
    eventLoop.submit(() -> List.of(lines).forEach(this::take)).syncUninterruptibly();
  }

  /** The next line that has come; fails if none comes. */
  String next() throws InterruptedException {
    String line = lines.poll(60, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("no line has come");
    }
    return line;
  }

  private void take(String line) {
    clock.tick();
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "data" -> data(words[1], false);
      case "end" -> data("", true);
      case "trailers" -> {
        request.requestTrailers(trailers(line.substring(words[0].length()).trim().split(" ")));
        answer(request.bodyRead(false));
      }
      case "cut" -> {
        cutOff = true;
        giveBody();
      }
      case "cancel" ->
          request.clientGone(words.length == 1 ? RequestEnd.NO_CODE : Integer.parseInt(words[1]));
      case "credit" -> grant(Integer.parseInt(words[1]));
      default -> {
        cutOff = false;
        answer(request.start(new Head(words[0], words[1], words[2])));
      }
    }
  }

  private static RequestView trailers(String... fields) {
    RequestView view = new RequestView(fields.length);
    byte[] text = String.join("", fields).getBytes(StandardCharsets.ISO_8859_1);
    view.reset(new UnsafeBuffer(text), 0, text.length, Peer.LOOPBACK);
    int at = 0;
    for (String field : fields) {
      int nameLength = field.indexOf('=');
      int valueLength = field.length() - nameLength - 1;
      view.addField(at, nameLength, at + nameLength + 1, valueLength);
      at += field.length();
    }
    return view;
  }

  private void data(String text, boolean end) {
    ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    unconsumedBytes.addAndGet(request.data(bytes, end));
    answer(request.bodyRead(false));
  }

  private void grant(int bytes) {
    credit += bytes;
    int consumed = Math.min(heldBytes.get(), credit);
    credit -= consumed;
    heldBytes.addAndGet(-consumed);
    if (consumed > 0) {
      request.responseConsumed(consumed);
    }
  }

  @Override
  protected void told(String line) {
    lines.add(line);
  }

  @Override
  public void giveBody() {
    answer(request.bodyRead(cutOff)); // it has been given as it came
  }

  @Override
  public void requestConsumed(int bytes) {
    unconsumedBytes.addAndGet(-bytes);
  }

  @Override
  public int responseData(ByteBuf bytes, boolean last) {
    int length = bytes.readableBytes();
    if (length > 0) {
      lines.add("data " + bytes.toString(StandardCharsets.ISO_8859_1));
    }
    bytes.release();
    if (last) {
      lines.add("end");
      return 0;
    }
    int held = Math.max(0, length - credit);
    credit -= length - held;
    heldBytes.addAndGet(held);
    return held;
  }

  @Override
  public void flushResponse() {
    // Lines are not gathered.
  }

  @Override
  public void failed(Throwable bug) {
    lines.add("failed " + bug);
  }

  /** The head of one request. */
  private static final class Head implements IncomingRequest {
    private static final String AUTHORITY = "line.example";

    private final RequestView view = new RequestView(1);
    private final String length;
    private final boolean mayPause;
    private final long timeoutNs;

    Head(String method, String path, String rest) {
      String[] words = rest.split(" ");
      this.length = words[0];
      this.mayPause = words.length == 2 && words[1].equals("pauses");
      this.timeoutNs =
          words.length == 1 || mayPause
              ? NO_TIMEOUT
              : TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[1]));
      byte[] text = (method + path + AUTHORITY + "x-line1").getBytes(StandardCharsets.ISO_8859_1);
      view.reset(new UnsafeBuffer(text), 0, text.length, Peer.LOOPBACK);
      view.method(0, method.length());
      view.path(method.length(), path.length());
      int at = method.length() + path.length();
      view.authority(at, AUTHORITY.length());
      at += AUTHORITY.length();
      view.addField(at, 6, at + 6, 1);
    }

    @Override
    public RequestView view() {
      return view;
    }

    @Override
    public boolean hasBody() {
      return !length.equals("-");
    }

    @Override
    public long contentLength() {
      return length.equals("*") || length.equals("-") ? -1 : Long.parseLong(length);
    }

    @Override
    public boolean headMethod() {
      return false;
    }

    @Override
    public boolean expectContinue() {
      return false;
    }

    @Override
    public boolean upgrade() {
      return false;
    }

    @Override
    public boolean mayPause() {
      return mayPause;
    }

    @Override
    public long timeoutNs() {
      return timeoutNs;
    }
  }
}
