package dev.weir.proxy.exchange;

import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.ReportedCost.Kind;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The costs of one exchange that its rule wants to know: read from the response as it passes, and
 * told with the end of the request. One per request in flight, reused; its memory is made when a
 * cost is wanted for the first time.
 *
 * <p>A cost is not reported if its field is missing, stands twice, or has anything but a whole
 * number from 0 to 2^53; if its member has another number; or if the exchange ended before it came.
 * Bytes are reported as they have passed so far, those of a response from its head on.
 *
 * <p>A call of gRPC has its status in the trailers, or in the head if that is all of the response;
 * then its other trailers stand there too. Of gRPC-Web, whose trailers are in the content, only
 * such a head is read. Encoded content ({@code content-encoding}) has no numbers.
 */
final class ReportedCosts {
  private static final FieldName GRPC_STATUS = FieldName.of("grpc-status");
  private static final FieldName CONTENT_TYPE = FieldName.of("content-type");
  private static final FieldName CONTENT_ENCODING = FieldName.of("content-encoding");
  private static final byte[] IDENTITY = TextWriter.ascii("identity");
  private static final byte[] EVENT_STREAM = TextWriter.ascii("text/event-stream");

  /** The largest cost that a field reports, as a member's. */
  private static final long MAX = JsonNumber.MAX;

  /** The costs that the rule asks for; null for none. */
  private ReportedCost[] wanted;

  /** The cost for each of {@link #wanted}, as far as it is known. */
  private long[] units;

  /** The reader of each body number; null where there is none. */
  private JsonNumber[] numbers;

  private EventStream events;
  private UnsafeBuffer window;

  private boolean isAnswered;

  /** Whether the content is read for numbers, and whether it is a stream of events. */
  private boolean readsNumbers;

  private boolean isEventStream;

  /** Starts with a request of which nothing is wanted. */
  void start() {
    wanted = null;
  }

  /**
   * Starts to read the costs that a verdict asks for.
   *
   * @param costs null for none.
   */
  void want(ReportedCost[] costs) {
    wanted = costs;
    if (costs == null) {
      return;
    }
    if (units == null || units.length < costs.length) {
      units = new long[costs.length];
      numbers = new JsonNumber[costs.length];
    }
    Arrays.fill(units, RequestEnd.NOT_REPORTED);
    isAnswered = false;
    readsNumbers = false;
  }

  /** Whether the exchange is read at all: nothing is to be called if not. */
  boolean areWanted() {
    return wanted != null;
  }

  /** Whether the request's content has to come without framing. */
  boolean wantRequestContent() {
    return wants(Kind.REQUEST_BYTES);
  }

  /** Whether the response's content has to come without framing, and its trailers apart. */
  boolean wantResponseContent() {
    return wants(Kind.RESPONSE_BYTES) || wants(Kind.TRAILER) || wants(Kind.BODY_NUMBER);
  }

  private boolean wants(Kind kind) {
    if (wanted != null) {
      for (ReportedCost cost : wanted) {
        if (cost.kind() == kind) {
          return true;
        }
      }
    }
    return false;
  }

  /** The final head of the response has come, or that of the tunnel. */
  void head(IncomingResponse head) {
    isAnswered = true;
    RequestView fields = head.fields();
    boolean isCall = GrpcContentType.of(fields) != GrpcContentType.NONE;
    boolean isAll = isCall && !head.hasBody();
    for (int i = 0; i < wanted.length; i++) {
      ReportedCost cost = wanted[i];
      switch (cost.kind()) {
        case STATUS -> units[i] = ofStatus(cost, head, isCall);
        case HEADER -> units[i] = number(fields, cost.field());
        case TRAILER -> {
          if (isAll) {
            units[i] = number(fields, cost.field());
          }
        }
        case BODY_NUMBER -> startNumber(i, fields);
        case RESPONSE_BYTES, REQUEST_BYTES -> {
          // Bytes of the content are counted as they pass.
        }
      }
    }
  }

  private static long ofStatus(ReportedCost cost, IncomingResponse head, boolean isCall) {
    if (cost.isOfStatus(head.status())) {
      return 1;
    }
    return isCall && cost.readsCalls() ? ofCall(cost, head.fields()) : 0;
  }

  private static long ofCall(ReportedCost cost, RequestView fields) {
    long status = number(fields, GRPC_STATUS);
    if (status == RequestEnd.NOT_REPORTED) {
      return status;
    }
    return cost.isOfCall((int) Math.min(status, Integer.MAX_VALUE)) ? 1 : 0;
  }

  private void startNumber(int index, RequestView fields) {
    if (isEncoded(fields)) {
      return;
    }
    if (window == null) {
      window = new UnsafeBuffer(0, 0);
      events = new EventStream();
    }
    if (numbers[index] == null) {
      numbers[index] = new JsonNumber();
    }
    numbers[index].start(wanted[index].path());
    readsNumbers = true;
    isEventStream = isEventStream(fields);
    events.start();
  }

  private static boolean isEncoded(RequestView fields) {
    int at = fields.findField(CONTENT_ENCODING, 0);
    while (at >= 0) {
      int length = fields.valueLength(at);
      if (!Ascii.equalsIgnoreCase(fields.bytes(), fields.valueOffset(at), length, IDENTITY)) {
        return true;
      }
      at = fields.findField(CONTENT_ENCODING, at + 1);
    }
    return false;
  }

  private static boolean isEventStream(RequestView fields) {
    int at = fields.findField(CONTENT_TYPE, 0);
    return at >= 0
        && fields.valueLength(at) >= EVENT_STREAM.length
        && Ascii.equalsIgnoreCase(
            fields.bytes(), fields.valueOffset(at), EVENT_STREAM.length, EVENT_STREAM);
  }

  /** Some of the response's content passes; its bytes stay as they are. */
  void content(ByteBuf bytes) {
    if (!readsNumbers || !bytes.isReadable()) {
      return;
    }
    ChannelIo.view(bytes, window);
    int length = window.capacity();
    if (!isEventStream) {
      readNumbers(0, length);
      return;
    }
    int at = 0;
    while (at < length) {
      int end = events.next(window, at, length);
      switch (events.part()) {
        case DATA -> readNumbers(at, end);
        case EVENT_END -> startTexts();
        case OTHER -> {
          // A line that names the event, or a comment: neither has a cost.
        }
      }
      at = end;
    }
  }

  private void readNumbers(int from, int to) {
    for (int i = 0; i < wanted.length; i++) {
      if (wanted[i].kind() == Kind.BODY_NUMBER) {
        numbers[i].read(window, from, to);
      }
    }
  }

  private void startTexts() {
    for (int i = 0; i < wanted.length; i++) {
      if (wanted[i].kind() == Kind.BODY_NUMBER) {
        numbers[i].startText();
      }
    }
  }

  /** The response ends with trailers. */
  void trailers(RequestView fields) {
    for (int i = 0; i < wanted.length; i++) {
      ReportedCost cost = wanted[i];
      if (cost.kind() == Kind.TRAILER) {
        units[i] = number(fields, cost.field());
      } else if (cost.kind() == Kind.STATUS && units[i] == RequestEnd.NOT_REPORTED) {
        units[i] = ofCall(cost, fields);
      }
    }
  }

  /** The number in a field that stands once. */
  private static long number(RequestView fields, FieldName name) {
    int at = fields.findField(name, 0);
    if (at < 0 || fields.findField(name, at + 1) >= 0) {
      return RequestEnd.NOT_REPORTED;
    }
    long number = Ascii.decimal(fields.bytes(), fields.valueOffset(at), fields.valueLength(at));
    return number > MAX || number == Ascii.NO_NUMBER ? RequestEnd.NOT_REPORTED : number;
  }

  /** Tells the costs with the end of the request. */
  void tell(RequestEnd end, long requestBytes, long responseBytes) {
    for (int i = 0; i < wanted.length; i++) {
      ReportedCost cost = wanted[i];
      end.costReported(
          switch (cost.kind()) {
            case REQUEST_BYTES -> cost.units(requestBytes);
            case RESPONSE_BYTES -> isAnswered ? cost.units(responseBytes) : RequestEnd.NOT_REPORTED;
            case BODY_NUMBER -> readsNumbers ? numbers[i].last() : RequestEnd.NOT_REPORTED;
            case STATUS, HEADER, TRAILER -> units[i];
          });
    }
  }
}
