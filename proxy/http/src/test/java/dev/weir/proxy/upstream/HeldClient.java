package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.RecordingClient;
import dev.weir.proxy.exchange.RequestLoop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client's side of one exchange in the hand of a test; what it is told, it writes down. */
public final class HeldClient extends RecordingClient {
  /** Bytes of the request that count against this client. */
  public int heldBytes;

  /** How many bytes of the response it takes before it holds what comes. */
  public int room = Integer.MAX_VALUE;

  /** Whether it takes all that it holds when it is told the end, within that call. */
  public boolean takesAllAtTheEnd;

  private final List<String> told = new ArrayList<>();

  public HeldClient(RequestLoop loop) {
    super(loop);
  }

  public HeldClient start(IncomingRequest head) {
    answer(request.start(head));
    return this;
  }

  public HeldClient data(String text, boolean end) {
    ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    heldBytes += request.data(bytes, end);
    answer(request.bodyRead(false));
    return this;
  }

  /** Asserts what a client was told since it was asked last. */
  public static void assertTold(HeldClient client, String... lines) {
    assertEquals(List.of(lines), client.told());
  }

  /** What it has been told since this was called last. */
  public List<String> told() {
    List<String> lines = List.copyOf(told);
    told.clear();
    return lines;
  }

  @Override
  protected void told(String line) {
    told.add(line);
  }

  @Override
  public void giveBody() {
    answer(request.bodyRead(false));
  }

  @Override
  public void requestConsumed(int bytes) {
    heldBytes -= bytes;
  }

  @Override
  public int responseData(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    told.add("data " + bytes.toString(StandardCharsets.ISO_8859_1) + (end ? " end" : ""));
    bytes.release();
    if (end && takesAllAtTheEnd) {
      request.responseConsumed(request.responseHeldBytes());
    }
    int held = end ? 0 : Math.max(0, length - room);
    room -= length - held;
    return held;
  }

  @Override
  public void flushResponse() {
    told.add("flush");
  }

  @Override
  public void failed(Throwable bug) {
    throw new AssertionError(bug);
  }
}
