package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.ChunkedBody;
import dev.weir.proxy.http1.HeadEnd;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the responses of one HTTP/1.1 connection: checks them, and finds their ends. Passes them to
 * its {@link UpstreamConnection}.
 */
final class ResponseReader implements ChunkedBody.Taker {
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** The most informational responses before the final one. */
  private static final int MAX_INFORMATIONAL = 16;

  /** The meaning of the next bytes. */
  private enum Expecting {
    HEAD,
    /** A body of a known length. */
    LENGTH,
    CHUNKS,
    /** A body that ends with the connection. */
    UNTIL_CLOSE,
    TUNNEL
  }

  private final UpstreamConnection connection;
  private final Http1Messages messages;
  private final HeadEnd headEnd = new HeadEnd();
  private final ChunkedBody chunks = new ChunkedBody();
  private Expecting expecting = Expecting.HEAD;
  private ByteBuf in;
  private long bodyLeft;
  private int informationalCount;
  private boolean headMethod;
  private boolean upgrade;

  /** The WebSocket key that Weir has made, whose answer it has to check; null if there is none. */
  private WebSocketKey webSocketKey;

  private boolean keepAlive;
  private BodyForm form = BodyForm.AS_FRAMED;

  ResponseReader(UpstreamConnection connection, Http1Messages messages) {
    this.connection = connection;
    this.messages = messages;
  }

  /** Starts with a request: the next bytes are the head of its response. */
  void start() {
    expecting = Expecting.HEAD;
    headEnd.reset();
    informationalCount = 0;
  }

  /**
   * Prepares for the response to a request, whose method and upgrade determine how it ends.
   *
   * @param request still has its bytes.
   */
  void expect(EncodedHead request) {
    headMethod = request.headMethod();
    upgrade = request.upgrade();
    webSocketKey = upgrade ? request.webSocketKey() : null;
  }

  /** Takes over {@code bytes}. */
  void read(ByteBuf bytes) {
    in = ChannelIo.append(in, bytes);
    while (in != null && in.isReadable() && connection.isServing()) {
      boolean advanced =
          switch (expecting) {
            case HEAD -> readHead();
            case LENGTH -> readLength();
            case CHUNKS -> readChunks();
            case UNTIL_CLOSE, TUNNEL -> {
              connection.pass(takeRest());
              yield true;
            }
          };
      if (!advanced) {
        break;
      }
    }
    if (in != null && !in.isReadable()) {
      in.release();
      in = null;
    }
  }

  private boolean readHead() {
    UnsafeBuffer window = messages.window();
    ChannelIo.view(in, window);
    int readable = in.readableBytes();
    if (readable <= MAX_HEAD_BYTES && !headEnd.isDue(window, readable)) {
      return false;
    }
    ResponseHead head = messages.head();
    int length = head.scan(window, 0, readable);
    if (length == ResponseHead.INCOMPLETE) {
      if (readable > MAX_HEAD_BYTES) {
        connection.fail(RefusalReason.UPSTREAM_MALFORMED);
      } else {
        headEnd.incomplete(window, readable);
      }
      return false;
    }
    headEnd.reset();
    boolean unasked = length > 0 && head.status() == 101 && !upgrades(head);
    boolean flood = length > 0 && head.informational() && ++informationalCount > MAX_INFORMATIONAL;
    if (length == ResponseHead.MALFORMED || length > MAX_HEAD_BYTES || unasked || flood) {
      connection.fail(RefusalReason.UPSTREAM_MALFORMED);
      return false;
    }
    if (webSocketKey != null && head.status() >= 200 && head.status() <= 299) {
      connection.fail(RefusalReason.UPSTREAM_NO_WEBSOCKET); // where there are no keys it is a yes
      return false;
    }
    head.source().set(in, in.readerIndex(), length);
    boolean staysLong = head.status() == 101 || !head.informational() && head.eventStream();
    passHead(head);
    if (!connection.isServing()) {
      return false; // the tunnel has failed over what was waiting for it
    }
    in.skipBytes(length);
    if (expecting == Expecting.LENGTH && bodyLeft == 0) {
      connection.complete(Unpooled.EMPTY_BUFFER);
    } else if (staysLong) {
      connection.becomeStream();
    }
    return true;
  }

  /** Whether a 101 accepts the upgrade that was asked for. */
  private boolean upgrades(ResponseHead head) {
    return upgrade && (webSocketKey == null || webSocketKey.isAnsweredBy(head.fields()));
  }

  private void passHead(ResponseHead head) {
    keepAlive = head.keepAlive();
    if (head.informational()) {
      connection.passInformational(head);
    } else if (head.status() == 101) {
      expecting = Expecting.TUNNEL;
      connection.switched(head);
    } else {
      frame(head);
      head.answers(headMethod);
      form = connection.passHead(head);
    }
  }

  /** Finds the framing of the response that a head begins. */
  private void frame(ResponseHead head) {
    if (head.bodyless(headMethod)) {
      expecting = Expecting.LENGTH;
      bodyLeft = 0;
    } else if (head.chunked()) {
      expecting = Expecting.CHUNKS;
      chunks.start();
    } else if (head.closeDelimited()) {
      expecting = Expecting.UNTIL_CLOSE;
    } else {
      expecting = Expecting.LENGTH;
      bodyLeft = head.contentLength();
    }
  }

  private boolean readLength() {
    int taken = (int) Math.min(bodyLeft, in.readableBytes());
    bodyLeft -= taken;
    ByteBuf part = taken == in.readableBytes() ? takeRest() : in.readRetainedSlice(taken);
    if (bodyLeft == 0) {
      connection.complete(part);
    } else {
      connection.pass(part);
    }
    return true;
  }

  /** Passes on well-formed chunks, in as few buffers as possible. */
  private boolean readChunks() {
    ChunkedBody.Progress progress = chunks.read(in, messages.window(), form, this);
    if (progress == ChunkedBody.Progress.MALFORMED) {
      connection.fail(RefusalReason.UPSTREAM_MALFORMED);
    }
    return progress == ChunkedBody.Progress.ENDED;
  }

  @Override
  public void piece(ByteBuf bytes, boolean last) {
    if (last) {
      connection.complete(bytes);
    } else {
      connection.pass(bytes);
    }
  }

  @Override
  public void trailers(ByteBuf lines) {
    connection.completeWithTrailers(lines);
  }

  private ByteBuf takeRest() {
    ByteBuf rest = in;
    in = null;
    return rest;
  }

  /** Whether the connection can be reused after the response that has ended. */
  boolean endedClean() {
    boolean nothingFollows = in == null || !in.isReadable();
    return nothingFollows && keepAlive && expecting != Expecting.UNTIL_CLOSE;
  }

  /** Whether the response ends with the connection. */
  boolean endsWithConnection() {
    return expecting == Expecting.UNTIL_CLOSE;
  }

  /** Releases unread bytes, as the connection is gone. */
  void discard() {
    if (in != null) {
      in.release();
      in = null;
    }
    chunks.discard();
  }
}
