package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.HeadEnd;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.TrailerLines;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the responses that come in on one connection: where each ends, and that it is well formed.
 * What it finds it hands to its {@link UpstreamConnection}.
 */
final class ResponseReader {
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** Informational responses to one request, before the final one. */
  private static final int MAX_INFORMATIONAL = 16;

  /** The meaning of the next bytes. */
  private enum Expecting {
    HEAD,
    /** A body as long as its head says. */
    LENGTH,
    CHUNKS,
    /** A body that ends with the connection. */
    UNTIL_CLOSE,
    TUNNEL
  }

  private final UpstreamConnection connection;
  private final Http1Messages messages;
  private final HeadEnd headEnd = new HeadEnd();
  private final ChunkScanner chunks = new ChunkScanner();
  private final TrailerLines trailers = new TrailerLines();
  private Expecting expecting = Expecting.HEAD;
  private ByteBuf in;
  private long bodyLeft;
  private int informationalCount;
  private boolean headMethod;
  private boolean upgrade;

  /** The key that we have made, whose answer nobody else looks at; null if there is none. */
  private WebSocketKey webSocketKey;

  private boolean keepAlive;
  private BodyForm form = BodyForm.AS_FRAMED;

  ResponseReader(UpstreamConnection connection, Http1Messages messages) {
    this.connection = connection;
    this.messages = messages;
  }

  /** A request follows: the next bytes are the head of its response. */
  void start() {
    expecting = Expecting.HEAD;
    headEnd.reset();
    informationalCount = 0;
  }

  /**
   * Prepares for the response to one request: its method and its wish to upgrade say how that ends.
   *
   * @param request has its bytes still.
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

  /** Whether a 101 is the answer to what was asked for. */
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

  /** Finds out where the response that a head begins will end. */
  private void frame(ResponseHead head) {
    if (head.bodyless(headMethod)) {
      expecting = Expecting.LENGTH;
      bodyLeft = 0;
    } else if (head.chunked()) {
      expecting = Expecting.CHUNKS;
      chunks.reset();
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

  /** Passes on what is well formed, in as few pieces as it stands in. */
  private boolean readChunks() {
    UnsafeBuffer window = messages.window();
    ChannelIo.view(in, window);
    int limit = in.readableBytes();
    int passFrom = 0;
    int at = 0;
    int base = in.readerIndex();
    int kind;
    do {
      kind = chunks.next(window, at, limit);
      if (kind == ChunkScanner.INCOMPLETE || kind == ChunkScanner.MALFORMED) {
        break;
      }
      int end = chunks.segmentEnd();
      if (!passes(kind)) {
        passSlice(base, passFrom, at);
        passFrom = end;
        if (kind == ChunkScanner.TRAILER) {
          trailers.add(in, base + at, end - at);
        }
      }
      at = end;
    } while (kind != ChunkScanner.END);
    if (kind == ChunkScanner.MALFORMED) {
      connection.fail(RefusalReason.UPSTREAM_MALFORMED);
      return false;
    }
    if (kind != ChunkScanner.END) {
      passSlice(base, passFrom, at);
      in.skipBytes(at);
      return false;
    }
    ByteBuf last =
        at > passFrom ? in.retainedSlice(base + passFrom, at - passFrom) : Unpooled.EMPTY_BUFFER;
    in.skipBytes(at);
    if (trailers.isEmpty()) {
      connection.complete(last);
    } else {
      completeWithTrailers();
    }
    return true;
  }

  /** Whether a segment goes to the client where it stands. */
  private boolean passes(int kind) {
    return switch (form) {
      case AS_FRAMED -> kind != ChunkScanner.OMIT;
      case DATA -> kind == ChunkScanner.DATA;
    };
  }

  private void passSlice(int base, int from, int to) {
    if (to > from) {
      connection.pass(in.retainedSlice(base + from, to - from));
    }
  }

  private void completeWithTrailers() {
    ByteBuf lines = trailers.take();
    try {
      connection.completeWithTrailers(lines);
    } finally {
      lines.release();
    }
  }

  private ByteBuf takeRest() {
    ByteBuf rest = in;
    in = null;
    return rest;
  }

  /** Whether the response that has ended leaves the connection as it was before. */
  boolean endedClean() {
    boolean nothingFollows = in == null || !in.isReadable();
    return nothingFollows && keepAlive && expecting != Expecting.UNTIL_CLOSE;
  }

  /** Whether the end of the connection is that of the response. */
  boolean endsWithConnection() {
    return expecting == Expecting.UNTIL_CLOSE;
  }

  /** Forgets what has not been read: the connection is gone. */
  void discard() {
    if (in != null) {
      in.release();
      in = null;
    }
    trailers.discard();
  }
}
