package dev.weir.proxy.decision.http;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The service's side of a request that is answered here: gathers the request, and passes it to its
 * endpoint at the end of the turn, outside all calls of the request's side. Reused by its origin.
 */
final class HttpExchange implements ServiceSide, HttpCall, TurnEnd.Member {
  private static final FieldName CONTENT_LENGTH = FieldName.of("content-length");

  private final EndpointOrigin origin;
  private final RequestView view;
  private final ExpandableArrayBuffer memory = new ExpandableArrayBuffer(1024);
  private final UnsafeBuffer body = new UnsafeBuffer(0, 0);

  private ProxiedRequest request;
  private HttpEndpoint endpoint;
  private ByteBuf gathered;

  /** Bytes of memory that are counted. */
  private int heldBytes;

  private boolean headMethod;

  /** Answers instead of the endpoint, as the body is refused; null if it is not. */
  private HttpEndpoint refusing;

  private boolean isWhole;

  /** Whether the endpoint has the request. */
  private boolean isAsked;

  /** Whether it waits for the end of the turn. */
  private boolean inTurn;

  private long arrivedNs;
  private Object attachment;

  HttpExchange(EndpointOrigin origin, int maxFieldCount) {
    this.origin = origin;
    view = new RequestView(maxFieldCount);
  }

  void start(ProxiedRequest of) {
    request = of;
    endpoint = null;
    refusing = null;
    isWhole = false;
    isAsked = false;
    attachment = null;
  }

  @Override
  public void head(EncodedHead head) {
    headMethod = head.headMethod();
    ByteBuf bytes = head.take();
    HeadCopy.read(bytes, memory, view, head.peer());
    bytes.release();
    arrivedNs = origin.parts.clock().nowNs();
    endpoint = origin.find(view);
    origin.parts.observer().callStarted(endpoint.kind());
    hold();
    if (!head.hasBody()) {
      whole();
    } else if (announcedBytes() > endpoint.maxBodyBytes()) {
      refuse(
          PlainEndpoint.tooLong(
              endpoint.maxBodyBytes())); // nobody is to be asked for what will not be taken
    } else if (request.expectsContinue()) {
      awaitTurnEnd();
    }
  }

  /** The length of the body by the head; negative if it has none. */
  private long announcedBytes() {
    int field = view.findField(CONTENT_LENGTH, 0);
    return field < 0
        ? -1
        : Ascii.decimal(view.bytes(), view.valueOffset(field), view.valueLength(field));
  }

  @Override
  public int data(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    int before = gathered == null ? 0 : gathered.readableBytes();
    if (refusing == null) {
      if (length > endpoint.maxBodyBytes() - before) {
        refuse(PlainEndpoint.tooLong(endpoint.maxBodyBytes()));
      } else if (length > 0) {
        gather(bytes);
      }
    }
    bytes.release();
    if (end) {
      whole();
    }
    return 0;
  }

  /** Copies bytes that have arrived, as a slice would keep the memory of the whole read. */
  private void gather(ByteBuf bytes) {
    if (gathered == null) {
      gathered = bytes.alloc().directBuffer(bytes.readableBytes());
    }
    gathered.writeBytes(bytes);
    hold();
  }

  /** Counts the memory that the request takes now. */
  private void hold() {
    int all = memory.capacity() + (gathered == null ? 0 : gathered.capacity());
    int more = all - heldBytes;
    heldBytes = all;
    request.keeps(all);
    if (!origin.hold(more, all)) {
      refuse(PlainEndpoint.NO_ROOM);
    }
  }

  private void refuse(HttpEndpoint by) {
    refusing = by;
    letGo();
    whole();
  }

  private void letGo() {
    origin.hold(-heldBytes, 0);
    heldBytes = 0;
    if (gathered != null) {
      gathered.release();
      gathered = null;
    }
  }

  @Override
  public boolean copiesData() {
    return true;
  }

  /** The memory that it has for heads. */
  int memoryBytes() {
    return memory.capacity();
  }

  @Override
  public void trailers(RequestView fields) {
    whole();
  }

  private void whole() {
    isWhole = true;
    awaitTurnEnd();
  }

  private void awaitTurnEnd() {
    if (!inTurn) {
      inTurn = true;
      origin.parts.turnEnd().join(this);
    }
  }

  @Override
  public void flush() {
    // It has been taken as it came.
  }

  @Override
  public void turnEnded() {
    inTurn = false;
    if (request == null) {
      origin.give(this); // its client has left meanwhile
      return;
    }
    if (isAsked) {
      return;
    }
    if (!isWhole) {
      sayContinue();
      return;
    }
    isAsked = true;
    HttpEndpoint asked = refusing == null ? endpoint : refusing;
    viewBody();
    try {
      asked.request(this);
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a request of the decision API", bug);
      if (request != null) {
        answer(500).send();
      }
    }
  }

  /** Sends 100 (Continue), as there is no service to send it. */
  private void sayContinue() {
    if (request.expectsContinue()) {
      request.informational(origin.answer().interim());
      request.flushResponse();
    }
  }

  private void viewBody() {
    if (gathered == null) {
      body.wrap(0, 0);
    } else {
      ChannelIo.view(gathered, body);
    }
  }

  @Override
  public RequestView request() {
    return view;
  }

  @Override
  public DirectBuffer body() {
    return body;
  }

  @Override
  public long arrivedNs() {
    return arrivedNs;
  }

  @Override
  public void attach(Object kept) {
    attachment = kept;
  }

  @Override
  public Object attachment() {
    return attachment;
  }

  @Override
  public HttpAnswer answer(int status) {
    return origin.answer().begin(this, status);
  }

  void send(HttpAnswer answer) {
    ProxiedRequest answered = request;
    origin
        .parts
        .observer()
        .callEnded(endpoint.kind(), GrpcStatus.nearestToHttp(answer.status()).code());
    ByteBuf content = content(answer);
    request = null;
    forget();
    answered.responseHead(answer);
    answered.responseData(content, true);
  }

  private ByteBuf content(HttpAnswer answer) {
    int bytes = headMethod ? 0 : answer.bodyBytes();
    return bytes == 0
        ? Unpooled.EMPTY_BUFFER
        : ByteBufAllocator.DEFAULT.directBuffer(bytes).writeBytes(answer.body(), 0, bytes);
  }

  private void forget() {
    letGo();
    attachment = null;
    if (!inTurn) {
      origin.give(this);
    }
  }

  @Override
  public void responseConsumed(int bytes) {
    // It has been given whole.
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    if (isAsked) {
      endpoint.cancelled(this);
    }
    origin.parts.observer().callEnded(endpoint.kind(), GrpcStatus.CANCELLED.code());
    request = null;
    forget();
  }
}
