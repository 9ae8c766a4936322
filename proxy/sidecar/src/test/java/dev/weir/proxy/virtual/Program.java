package dev.weir.proxy.virtual;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A program that uses the decision API over HTTP/2: calls of gRPC and checks of HTTP, in pieces of
 * any size, of which some never come whole. It reads all that it gets.
 */
final class Program extends Http2End {
  private static final int MOST_CALLS = 4;
  private static final int MOST_MESSAGES = 40;
  private static final int MESSAGE_BYTES = 1_000;
  private static final int MOST_BODY_BYTES = 50_000;

  /** Bytes of buffers that a connection may have beside those that are counted. */
  static final int UNCOUNTED_BYTES = 2_048;

  private final List<Call> waiting = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private int nextId = 1;

  /** One call: what it sends, and what has come of it. */
  private static final class Call {
    private final String path;
    private final boolean isGrpc;
    private final ByteQueue content = new ByteQueue();

    /** Whether the end of its content never comes. */
    private final boolean isCut;

    private Stream stream;
    private String status = "";
    private String grpcStatus = "";

    Call(String path, boolean isGrpc, boolean isCut) {
      this.path = path;
      this.isGrpc = isGrpc;
      this.isCut = isCut;
    }
  }

  Program(VirtualSocket socket, Choices choices, Log log, String identity) {
    super(socket, log, choices.of(65_535, 100, 5_000), 0, true);
    int count = 1 + choices.below(MOST_CALLS);
    for (int i = 0; i < count; i++) {
      waiting.add(call(choices, identity));
    }
    calls.addAll(waiting);
  }

  private static Call call(Choices choices, String identity) {
    return switch (choices.below(4)) {
      case 1 -> {
        String path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
        Call call = new Call(path, true, choices.below(2) == 1);
        for (int left = 1 + choices.below(MOST_MESSAGES); left > 0; left--) {
          addMessage(call.content, (char) 0x3a + text("x".repeat(MESSAGE_BYTES)));
        }
        yield call;
      }
      case 2 -> {
        Call call = new Call("/v1/check", false, true);
        call.content.add("{".repeat(1 + choices.below(MOST_BODY_BYTES)));
        yield call;
      }
      case 3 -> {
        Call call = new Call("/v1/check", false, false);
        call.content.add("{\"identifier\":\"" + identity + "\",\"dimension\":\"USER\"}");
        yield call;
      }
      default -> {
        Call call = new Call("/weir.v1.RateLimiter/CheckRateLimit", true, choices.oneIn(4));
        addMessage(call.content, "\n" + text(identity) + (char) 0x10 + (char) 1);
        yield call;
      }
    };
  }

  /** A field's length and text, of less than 16,384 bytes. */
  private static String text(String text) {
    int bytes = text.length();
    return bytes < 128
        ? (char) bytes + text
        : (char) (bytes & 127 | 128) + "" + (char) (bytes >> 7) + text;
  }

  private static void addMessage(ByteQueue to, String message) {
    to.addNumber(0, 1);
    to.addNumber(message.length(), 4);
    to.add(message.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void step(Choices choices) {
    switch (choices.below(16)) {
      case 12, 13 -> open();
      case 9, 10, 11 -> content(choices);
      case 8 -> giveCredit();
      case 0, 1, 2, 3, 4 -> send(choices);
      default -> read(choices);
    }
  }

  private boolean open() {
    if (waiting.isEmpty() || isGoingAway || socket.far().hasEnded()) {
      return false;
    }
    Call call = waiting.remove(0);
    call.stream = stream(nextId, null);
    nextId += 2;
    call.stream.sendsContent = true;
    log.say("%s calls %s on stream %d", this, call.path, call.stream.id);
    sendHead(
        call.stream,
        false,
        ":method: POST",
        ":scheme: http",
        ":path: " + call.path,
        ":authority: a",
        "content-type: " + (call.isGrpc ? "application/grpc" : "application/json"),
        "te: trailers");
    return true;
  }

  /** Sends a frame of content of some call; null for as much as possible of all. */
  private boolean content(Choices choices) {
    boolean did = false;
    for (Call call : calls) {
      Stream stream = call.stream;
      if (stream == null || stream.localEnded || !stream.isOpen() || did && choices != null) {
        continue;
      }
      int least = call.isCut ? 1 : 0;
      int most = Math.min(call.content.size() - least, room(stream));
      int count = choices == null ? most : piece(choices, most);
      if (count > 0) {
        boolean ends = count == call.content.size();
        call.content.move(sendData(stream, count, ends), count);
        did = true;
      }
    }
    return did;
  }

  private Call of(int id) {
    return calls.stream()
        .filter(call -> call.stream != null && call.stream.id == id)
        .findFirst()
        .orElseThrow(() -> new AssertionError(this + ": a stream that was not opened: " + id));
  }

  @Override
  void head(int id, List<String> fields, boolean end) {
    Call call = of(id);
    Map<String, String> map = map(fields);
    call.status += map.getOrDefault(":status", "");
    call.grpcStatus += map.getOrDefault("grpc-status", "");
    call.stream.hasHead = true;
  }

  @Override
  void content(Stream stream, ByteQueue bytes, int count) {
    bytes.skip(count);
  }

  @Override
  void ended(Stream stream) {
    Call call = of(stream.id);
    log.say("%s gets %s %s on stream %d", this, call.status, call.grpcStatus, stream.id);
    check(call.status.length() == 3, call.path + " has the statuses " + call.status);
    check(call.isGrpc == !call.grpcStatus.isEmpty(), "grpc-status " + call.grpcStatus);
  }

  @Override
  void reset(Stream stream, int code) {
    check(code != REFUSED_STREAM, "would repeat stream " + stream.id);
  }

  @Override
  public boolean settle() {
    boolean did = read(null);
    did |= open();
    did |= content((Choices) null);
    did |= giveCredit();
    did |= send(null);
    return did;
  }

  @Override
  public boolean endWhatLasts() {
    boolean did = false;
    for (Stream stream : streams.values()) {
      if (stream.isOpen() && !sawEnd) {
        sendReset(stream, CANCEL);
        did = true;
      }
    }
    return did;
  }

  @Override
  public void checkServed() {
    for (Call call : calls) {
      boolean waits = call.stream != null && call.stream.localEnded && call.stream.isOpen();
      check(sawEnd || !waits, call.path + " waits, and nothing else happens");
    }
  }

  @Override
  public void check() {
    check(sawEnd, "is left alone");
  }

  @Override
  public String toString() {
    return "program";
  }
}
