package dev.weir.proxy.virtual;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.Fields;
import dev.weir.proxy.virtual.VirtualSocket.End;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The far end of a connection of HTTP/2: frames, and the windows of both directions, which it holds
 * the sidecar to. It gives credit for what has come when that is chosen, and acknowledges what must
 * be. Only its reader of field blocks is the sidecar's own.
 */
abstract class Http2End implements Actor {
  static final int CANCEL = 8;
  static final int REFUSED_STREAM = 7;
  static final int NO_ERROR = 0;
  private static final int SETTINGS_TIMEOUT = 4;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int HEADER_BYTES = 9;
  private static final int FRAME_BYTES = 16_384;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int FIRST_CREDIT = 1_000;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int CONTINUATION = 9;
  private static final FieldBlock BLOCK = new FieldBlock(1 << 16, 1 << 8, 1 << 16);

  final VirtualSocket socket;
  final Log log;
  final Map<Integer, Stream> streams = new TreeMap<>();

  /** Whether it does nothing any more. */
  boolean isDead;

  boolean sawEnd;

  private final ByteQueue in = new ByteQueue();
  private final ByteQueue out = new ByteQueue();
  private final FieldDecoder decoder = new FieldDecoder();
  private final ByteBuf block = Unpooled.buffer();
  private final int announcedWindow;
  private int initialReceive = DEFAULT_WINDOW;
  private int initialSend = DEFAULT_WINDOW;
  private long sendWindow = DEFAULT_WINDOW;
  private long receiveWindow = DEFAULT_WINDOW;
  private int uncredited;
  private boolean awaitsPreface;
  private boolean hasRead;
  private boolean isTurnedAway;
  private int blockStream;
  private boolean blockEnds;

  /** Whether the sidecar has acknowledged the settings. */
  boolean isSettled;

  /** Whether the sidecar has said that it takes no more streams. */
  boolean isGoingAway;

  /** One stream: what the windows leave, and what has ended. */
  static final class Stream {
    final int id;
    final Exchange exchange;
    private long sendWindow;
    private long receiveWindow;
    private int uncredited;

    /** Bytes of content that have come and are not read, and so get no credit. */
    private int unreadBytes;

    /** Bytes of content that were sent. */
    int sentBytes;

    boolean hasHead;
    boolean sendsContent;
    boolean localEnded;
    boolean remoteEnded;
    boolean isReset;

    Stream(int id, Exchange exchange) {
      this.id = id;
      this.exchange = exchange;
    }

    boolean isOpen() {
      return !isReset && !(localEnded && remoteEnded);
    }
  }

  /**
   * @param windowBytes the initial windows of streams for what the sidecar sends.
   * @param mostStreams that the sidecar may open at one time.
   */
  Http2End(VirtualSocket socket, Log log, int windowBytes, int mostStreams, boolean isClient) {
    this.socket = socket;
    this.log = log;
    announcedWindow = windowBytes;
    awaitsPreface = !isClient;
    if (isClient) {
      out.add(PREFACE);
    }
    write(SETTINGS, 0, 0, 12);
    setting(4, windowBytes);
    setting(3, mostStreams);
  }

  // What comes.

  /** A head or trailers have come. */
  abstract void head(int id, List<String> fields, boolean end);

  /** Content has come, which {@link Exchange} takes out of the queue. */
  abstract void content(Stream stream, ByteQueue bytes, int count);

  /** Whether the content of a stream is read, and so gets credit. */
  boolean reads(Stream stream) {
    return true;
  }

  /** The sidecar has ended its side of a stream. */
  abstract void ended(Stream stream);

  /** The sidecar has reset a stream. */
  abstract void reset(Stream stream, int code);

  private void parse() {
    if (awaitsPreface && in.size() >= PREFACE.length()) {
      check(in.text(PREFACE.length()).equals(PREFACE), "greeted in another way");
      awaitsPreface = false;
    }
    if (awaitsPreface) {
      return;
    }
    isTurnedAway |= !hasRead && in.find("H") == 0; // by HTTP/1.1, before its preface was whole
    if (isTurnedAway) {
      in.skip(in.size());
    }
    while (in.size() >= HEADER_BYTES) {
      hasRead = true;
      int length = in.number(0, 3);
      check(length <= FRAME_BYTES, "a frame of " + length + " bytes");
      if (in.size() < HEADER_BYTES + length) {
        return;
      }
      int type = in.number(3, 1);
      int flags = in.number(4, 1);
      int id = in.number(5, 4);
      in.skip(HEADER_BYTES);
      int rest = in.size() - length;
      read(type, flags, id, length);
      in.skip(in.size() - rest);
    }
  }

  private void read(int type, int flags, int id, int length) {
    switch (type) {
      case DATA -> data(flags, id, length);
      case HEADERS -> {
        blockStream = id;
        blockEnds = (flags & END_STREAM) != 0;
        block(flags, length);
      }
      case CONTINUATION -> block(flags, length);
      case RST_STREAM -> {
        Stream stream = streams.get(id);
        int code = in.number(0, 4);
        log.say("%s gets a reset of stream %d with %d", this, id, code);
        if (stream != null && !stream.isReset) {
          stream.isReset = true;
          uncredited += stream.unreadBytes; // what is dropped makes room for others
          stream.unreadBytes = 0;
          reset(stream, code);
        }
      }
      case SETTINGS -> settings(flags, length);
      case PING -> {
        if ((flags & ACK) == 0) {
          byte[] data = in.bytes(length);
          write(PING, ACK, 0, data.length);
          out.add(data);
        }
      }
      case GOAWAY -> {
        log.say("%s gets GOAWAY %d with %d", this, in.number(0, 4), in.number(4, 4));
        int code = in.number(4, 4);
        boolean isSlow = code == SETTINGS_TIMEOUT || code == ENHANCE_YOUR_CALM;
        check(code == NO_ERROR || isSlow, "accused of an error: " + code);
        isGoingAway = true;
      }
      case WINDOW_UPDATE -> {
        int more = in.number(0, 4);
        check(more > 0, "an update by nothing");
        Stream stream = streams.get(id);
        if (id == 0) {
          sendWindow += more;
          check(sendWindow <= Integer.MAX_VALUE, "more credit than there can be");
        } else if (stream != null) {
          stream.sendWindow += more;
          check(stream.sendWindow <= Integer.MAX_VALUE, "more credit than there can be");
        }
      }
      default -> {
        // Anybody may send frames of other types.
      }
    }
  }

  private void data(int flags, int id, int length) {
    Stream stream = streams.get(id);
    check(
        stream != null && (stream.hasHead || stream.isReset),
        "content without a head on stream " + id);
    check(!stream.remoteEnded, "content behind the end of stream " + id);
    receiveWindow -= length;
    stream.receiveWindow -= length;
    if (reads(stream)) {
      uncredited += length;
      stream.uncredited += length;
    } else {
      stream.unreadBytes += length;
    }
    // An end needs no window (RFC 9113, section 6.9.1).
    check(length == 0 || receiveWindow >= 0, "sends beyond the connection's window");
    check(length == 0 || stream.receiveWindow >= 0, "beyond the window of stream " + id);
    if (!stream.isReset) {
      content(stream, in, length);
    }
    end(stream, (flags & END_STREAM) != 0);
  }

  private void block(int flags, int length) {
    block.writeBytes(in.bytes(length));
    if ((flags & END_HEADERS) == 0) {
      return;
    }
    FieldDecoder.Outcome outcome =
        decoder.decode(block, block.readerIndex(), block.readableBytes(), BLOCK);
    check(outcome == FieldDecoder.Outcome.DECODED, "a field block that is " + outcome);
    block.clear();
    Stream known = streams.get(blockStream);
    if (known == null || !known.isReset) {
      head(blockStream, Fields.of(BLOCK), blockEnds);
    }
    Stream stream = streams.get(blockStream);
    if (stream != null) {
      end(stream, blockEnds);
    }
  }

  private void end(Stream stream, boolean ends) {
    if (ends) {
      check(!stream.remoteEnded, "a second end");
      stream.remoteEnded = true;
      if (!stream.isReset) {
        ended(stream);
      }
    }
  }

  private void settings(int flags, int length) {
    if ((flags & ACK) != 0) {
      if (!isSettled) {
        isSettled = true;
        for (Stream stream : streams.values()) {
          stream.receiveWindow += announcedWindow - initialReceive;
        }
        initialReceive = announcedWindow;
      }
      return;
    }
    for (int at = 0; at < length; at += 6) {
      if (in.number(at, 2) == 4) {
        int window = in.number(at + 2, 4);
        for (Stream stream : streams.values()) {
          stream.sendWindow += window - initialSend;
        }
        initialSend = window;
      }
    }
    write(SETTINGS, ACK, 0, 0);
  }

  // What goes.

  private void write(int type, int flags, int id, int length) {
    out.addNumber(length, 3);
    out.addNumber(type, 1);
    out.addNumber(flags, 1);
    out.addNumber(id, 4);
  }

  private void setting(int name, int value) {
    out.addNumber(name, 2);
    out.addNumber(value, 4);
  }

  /** Opens a stream, or takes one that the sidecar has opened. */
  Stream stream(int id, Exchange exchange) {
    Stream stream = new Stream(id, exchange);
    stream.sendWindow = initialSend;
    stream.receiveWindow = initialReceive;
    stream.uncredited = announcedWindow == 0 ? FIRST_CREDIT : 0; // nothing would come otherwise
    streams.put(id, stream);
    return stream;
  }

  /** Sends a head or trailers. */
  void sendHead(Stream stream, boolean end, String... lines) {
    ByteQueue fields = new ByteQueue();
    for (String line : lines) {
      int colon = line.indexOf(": ", 1);
      fields.addNumber(0, 1);
      text(fields, line.substring(0, colon));
      text(fields, line.substring(colon + 2));
    }
    write(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream.id, fields.size());
    fields.move(out, fields.size());
    stream.localEnded |= end;
  }

  private static void text(ByteQueue to, String text) {
    int length = text.length();
    if (length < 127) {
      to.addNumber(length, 1);
    } else {
      to.addNumber(127, 1);
      to.addNumber(length - 127, 1); // none of ours is longer than 254
    }
    to.add(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** How much content of a stream the windows let pass. */
  int room(Stream stream) {
    return (int) Math.max(0, Math.min(FRAME_BYTES, Math.min(sendWindow, stream.sendWindow)));
  }

  /** Begins a frame of content, whose bytes the caller adds to the queue that is returned. */
  ByteQueue sendData(Stream stream, int count, boolean end) {
    sendWindow -= count;
    stream.sendWindow -= count;
    stream.sentBytes += count;
    stream.localEnded |= end;
    write(DATA, end ? END_STREAM : 0, stream.id, count);
    return out;
  }

  void sendReset(Stream stream, int code) {
    log.say("%s resets stream %d with %d", this, stream.id, code);
    stream.isReset = true;
    write(RST_STREAM, 0, stream.id, 4);
    out.addNumber(code, 4);
  }

  void sendGoAway(int lastId) {
    log.say("%s says GOAWAY %d", this, lastId);
    write(GOAWAY, 0, 0, 8);
    out.addNumber(lastId, 4);
    out.addNumber(NO_ERROR, 4);
  }

  /** Gives credit for what has come; of streams that have not ended. */
  boolean giveCredit() {
    boolean did = uncredited > 0;
    if (did) {
      write(WINDOW_UPDATE, 0, 0, 4);
      out.addNumber(uncredited, 4);
      receiveWindow += uncredited;
      uncredited = 0;
    }
    for (Stream stream : streams.values()) {
      if (stream.uncredited > 0 && !stream.remoteEnded && !stream.isReset) {
        write(WINDOW_UPDATE, 0, stream.id, 4);
        out.addNumber(stream.uncredited, 4);
        stream.receiveWindow += stream.uncredited;
        stream.uncredited = 0;
        did = true;
      }
    }
    return did;
  }

  /** Sends bytes of the frames that were written; returns whether there were any. */
  boolean send(Choices choices) {
    int most = Math.min(out.size(), socket.far().room());
    int count = choices == null ? most : piece(choices, most);
    if (count > 0) {
      log.say("%s sends %d", this, count);
      socket.far().send(out, count);
    }
    return count > 0;
  }

  /** Reads bytes that have come; returns whether anything was found. */
  boolean read(Choices choices) {
    int most = socket.far().readable();
    int count = choices == null ? most : piece(choices, most);
    if (count > 0) {
      log.say("%s reads %d", this, count);
      socket.far().read(in, count);
      parse();
    }
    End end = socket.far().ended();
    if (end == End.NONE || sawEnd) {
      return count > 0;
    }
    log.say("%s sees the end %s", this, end);
    sawEnd = true;
    socket.far().close();
    out.clear();
    return true;
  }

  static int piece(Choices choices, int most) {
    return most == 0 ? 0 : choices.below(3) == 2 ? 1 + choices.below(most) : most;
  }

  void check(boolean holds, String fault) {
    if (!holds) {
      throw new AssertionError(this + ": " + fault);
    }
  }

  /** The values of a head by their names. */
  static Map<String, String> map(List<String> fields) {
    Map<String, String> map = new TreeMap<>();
    for (String field : fields) {
      int colon = field.indexOf(": ", 1);
      map.put(field.substring(0, colon), field.substring(colon + 2));
    }
    return map;
  }
}
