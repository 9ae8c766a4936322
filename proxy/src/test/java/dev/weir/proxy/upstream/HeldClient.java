package dev.weir.proxy.upstream;

import dev.weir.proxy.http.BodyForm;
import dev.weir.proxy.http.ClientSide;
import dev.weir.proxy.http.IncomingRequest;
import dev.weir.proxy.http.IncomingResponse;
import dev.weir.proxy.http.ProxiedRequest;
import dev.weir.proxy.http.RequestLoop;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client's side of one exchange in the hand of a test; what it is told, it writes down. */
final class HeldClient implements ClientSide {
  final ProxiedRequest request;

  /** Bytes of the request that count against this client. */
  int heldBytes;

  /** How many bytes of the response it takes before it holds what comes. */
  int room = Integer.MAX_VALUE;

  private final List<String> told = new ArrayList<>();

  HeldClient(RequestLoop loop) {
    request = new ProxiedRequest(loop, this);
  }

  HeldClient start(IncomingRequest head) {
    answer(request.start(head));
    return this;
  }

  HeldClient data(String text, boolean end) {
    ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    heldBytes += request.data(bytes, end);
    answer(request.bodyRead(false));
    return this;
  }

  /** What it has been told since this was called last. */
  List<String> told() {
    List<String> lines = List.copyOf(told);
    told.clear();
    return lines;
  }

  private void answer(Verdict refusal) {
    if (refusal != null) {
      refuse(refusal);
    }
  }

  @Override
  public Protocol protocol() {
    return Protocol.HTTP1;
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
  public void refuse(Verdict verdict) {
    told.add("refused " + verdict.refusal());
  }

  @Override
  public void sayContinue() {
    told.add("continue");
  }

  @Override
  public int informational(IncomingResponse head) {
    told.add("informational " + head.status());
    return 0;
  }

  @Override
  public void switched(IncomingResponse head) {
    told.add("switched " + head.status());
  }

  @Override
  public BodyForm responseHead(IncomingResponse head) {
    told.add("head " + head.status() + (head.hasBody() ? "" : " alone"));
    return BodyForm.DATA;
  }

  @Override
  public int responseData(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    told.add("data " + bytes.toString(StandardCharsets.ISO_8859_1) + (end ? " end" : ""));
    bytes.release();
    int held = end ? 0 : Math.max(0, length - room);
    room -= length - held;
    return held;
  }

  @Override
  public void responseTrailers(RequestView fields) {
    StringBuilder line = new StringBuilder("trailers");
    for (int i = 0; i < fields.fieldCount(); i++) {
      line.append(' ')
          .append(fields.text(fields.nameOffset(i), fields.nameLength(i)))
          .append('=')
          .append(fields.text(fields.valueOffset(i), fields.valueLength(i)));
    }
    told.add(line.toString());
  }

  @Override
  public void flushResponse() {
    told.add("flush");
  }

  @Override
  public void ended() {
    told.add("ended");
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    told.add("reset " + how + (errorCode == RequestEnd.NO_CODE ? "" : " " + errorCode));
  }

  @Override
  public void failed(Throwable bug) {
    throw new AssertionError(bug);
  }
}
