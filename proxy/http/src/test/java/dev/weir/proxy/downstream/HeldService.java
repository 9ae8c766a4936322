package dev.weir.proxy.downstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestHeadWriter;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.TrailerSection;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A service in the hand of a test, which is given heads of HTTP/1.1. */
public final class HeldService implements Origin {
  /** What clients of HTTP/1.0 that named no host have asked. */
  public static final String AUTHORITY = "held";

  private final RequestHeadWriter heads = new RequestHeadWriter(AUTHORITY);
  private final List<ProxiedRequest> waiting = new ArrayList<>();
  private Call opened;

  /** Why requests that ask for a connection get none; null if they get one. */
  public Pending pending;

  /** Whether bodies are not gathered first. */
  public boolean multiplexes;

  /** Whether what comes in HTTP/1.1 is copied where it stays as it is, as its own pool does. */
  public boolean copiesHeads;

  /** Whether there is no place even to wait. */
  public boolean full;

  /** Whether few places are left. */
  public boolean isScarce;

  /** Bytes of bodies that each call takes before it holds what comes. */
  public int room = Integer.MAX_VALUE;

  /** The exchanges that have begun, in order. */
  public final List<Call> calls = new ArrayList<>();

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return full;
  }

  @Override
  public boolean multiplexes() {
    return multiplexes;
  }

  @Override
  public boolean isScarce() {
    return isScarce;
  }

  @Override
  public void encode(IncomingRequest head, EncodedHead out) {
    if (copiesHeads && head instanceof RequestHead same) {
      out.set(heads.write(same, ByteBufAllocator.DEFAULT), head, BodyForm.AS_FRAMED);
      return;
    }
    BodyForm form = head.contentLength() < 0 ? BodyForm.DATA : BodyForm.AS_FRAMED;
    WebSocketKey key = head.webSocket() ? WebSocketKey.random() : null;
    out.set(heads.writeForeign(head, key, ByteBufAllocator.DEFAULT), head, form);
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    if (pending == null) {
      opened = new Call(request);
      return opened;
    }
    if (pending != Pending.BUSY) {
      waiting.add(request);
    }
    return pending;
  }

  @Override
  public void closeIdle() {}

  @Override
  public void forget(ProxiedRequest request) {
    waiting.remove(request);
  }

  /** How many requests wait for a connection. */
  public int waiting() {
    return waiting.size();
  }

  /** Gives the first that waits its connection. */
  public void connect() {
    ProxiedRequest request = waiting.remove(0);
    request.opened(new Call(request));
  }

  /** Tells the first that waits that there is none. */
  public void fail(RefusalReason reason) {
    waiting.remove(0).serviceReset(reason);
  }

  /** The call that began last. */
  public Call last() {
    return calls.get(calls.size() - 1);
  }

  /** One exchange, as the service sees it. */
  public final class Call implements ServiceSide {
    private final ProxiedRequest request;
    private final ResponseHead response = new ResponseHead(100);
    private final StringBuilder body = new StringBuilder();
    private String head = "";
    private boolean headMethod;
    private int taken;

    /** Bytes that have come and were not consumed. */
    public int held;

    /** What has become of it: the end of the body, trailers, or a reset. */
    public String end = "";

    Call(ProxiedRequest request) {
      this.request = request;
      calls.add(this);
    }

    public String head() {
      return head;
    }

    public String body() {
      return body.toString();
    }

    @Override
    public void head(EncodedHead encoded) {
      headMethod = encoded.headMethod();
      end = encoded.hasBody() ? "" : "end";
      ByteBuf bytes = encoded.take();
      head = bytes.toString(StandardCharsets.ISO_8859_1);
      bytes.release();
    }

    @Override
    public int data(ByteBuf bytes, boolean last) {
      int length = bytes.readableBytes();
      body.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
      end += last ? "end" : "";
      int more = Math.min(length, Math.max(0, room - taken));
      taken += more;
      held += length - more;
      return length - more;
    }

    /** Consumes all that is held. */
    public void consume() {
      int bytes = held;
      held = 0;
      taken = 0;
      request.requestConsumed(bytes);
    }

    @Override
    public void trailers(RequestView fields) {
      for (int i = 0; i < fields.fieldCount(); i++) {
        end +=
            fields.text(fields.nameOffset(i), fields.nameLength(i))
                + "="
                + fields.text(fields.valueOffset(i), fields.valueLength(i))
                + " ";
      }
      end += "end";
    }

    @Override
    public void flush() {}

    @Override
    public void responseConsumed(int bytes) {
      consumed += bytes;
    }

    /** Bytes of the response that had been held, and that the client has taken. */
    public int consumed;

    @Override
    public void reset(RequestEnd.How how, int errorCode) {
      end +=
          "reset " + how + (errorCode == RequestEnd.NO_CODE ? "" : " " + ErrorCode.name(errorCode));
    }

    /** Answers with a head, in HTTP/1.1 without its last empty line. */
    public void answer(String text) {
      UnsafeBuffer bytes = bytes(text + "\r\n\r\n");
      if (response.scan(bytes, 0, bytes.capacity()) != bytes.capacity()) {
        throw new AssertionError("no head of HTTP/1.1: " + text);
      }
      byte[] source = (text + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
      response.source().set(Unpooled.wrappedBuffer(source), 0, source.length);
      response.answers(headMethod);
      if (response.status() == 101) {
        request.switched(response);
      } else if (response.informational()) {
        request.informational(response);
      } else {
        request.responseHead(response);
      }
    }

    /** Answers with some of the body; how much of it is held. */
    public int send(String text, boolean last) {
      return request.responseData(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1), last);
    }

    /** Ends the turn in which some of the response was given. */
    public void endTurn() {
      request.flushResponse();
    }

    /** Ends the response with trailers, given as lines. */
    public void trailers(String lines) {
      ByteBuf bytes = Unpooled.directBuffer().writeBytes(lines.getBytes(StandardCharsets.US_ASCII));
      request.responseTrailers(new TrailerSection(100).read(bytes));
      bytes.release();
    }

    /** Breaks off. */
    public void breakOff(RefusalReason reason, int errorCode) {
      request.serviceReset(reason, errorCode);
    }

    private static UnsafeBuffer bytes(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length));
      copy.putBytes(0, bytes);
      return copy;
    }
  }
}
