package dev.weir.proxy.virtual;

import dev.weir.proxy.virtual.Exchange.Deed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One connection of a service of HTTP/2. It may refuse streams that it has not looked at, or say
 * that it takes no more.
 */
final class Http2Service extends Http2End {
  private final Exchanges exchanges;
  private final int mostStreams;
  private final Choices choices;

  /** Streams above this one are not looked at. */
  private int lastId = Integer.MAX_VALUE;

  private int highestId;

  Http2Service(VirtualSocket socket, Choices choices, Exchanges exchanges, Log log) {
    this(socket, choices, exchanges, log, choices.of(100, 1, 2));
  }

  private Http2Service(
      VirtualSocket socket, Choices choices, Exchanges exchanges, Log log, int mostStreams) {
    super(socket, log, choices.of(65_535, 100, 0, 5_000, 200_000), mostStreams, false);
    this.choices = choices;
    this.exchanges = exchanges;
    this.mostStreams = mostStreams;
  }

  @Override
  public void step(Choices by) {
    switch (by.below(24)) {
      case 23 -> {
        if (!exchanges.isCalm() && by.oneIn(4)) {
          goAway();
        }
      }
      case 18, 19, 20 -> content(by);
      case 16, 17 -> giveCredit();
      case 0, 1, 2, 3, 4, 5, 6, 7 -> send(by);
      default -> read(by);
    }
  }

  /** Nothing is told of those that may be on their way here. */
  private void turnAway() {
    exchanges.all().forEach(exchange -> exchange.mayBeTurnedAway |= exchange.arrivals == 0);
  }

  private void goAway() {
    if (lastId == Integer.MAX_VALUE) {
      lastId = highestId;
      turnAway();
      sendGoAway(lastId);
    }
  }

  @Override
  void head(int id, List<String> fields, boolean end) {
    Stream known = streams.get(id);
    if (known != null) {
      check(end, "trailers before the end");
      return;
    }
    if (id > lastId) {
      Stream unseen = stream(id, null);
      unseen.isReset = true;
      return;
    }
    highestId = id;
    Map<String, String> map = map(fields);
    Exchange exchange = exchanges.of(map.get(":path"));
    Stream stream = stream(id, exchange);
    stream.hasHead = true;
    long open = streams.values().stream().filter(Stream::isOpen).count();
    check(!isSettled || open <= mostStreams, open + " streams of " + mostStreams);
    if (!exchanges.isCalm() && choices.oneIn(24)) {
      exchange.mayBeTurnedAway = true;
      sendReset(stream, REFUSED_STREAM);
      return;
    }
    log.say("%s gets %s on stream %d", this, exchange, id);
    exchange.arrived(map.get(":method"));
    if (map.containsKey("expect")) {
      sendHead(stream, false, ":status: 100");
    }
    if (exchange.deed == Deed.ANSWERS_EARLY && !end) {
      answer(stream);
    }
  }

  @Override
  void content(Stream stream, ByteQueue bytes, int count) {
    stream.exchange.requestData(bytes, count);
  }

  @Override
  boolean reads(Stream stream) {
    return stream.isReset || stream.exchange.deed != Deed.IS_NOT_READ;
  }

  @Override
  void ended(Stream stream) {
    stream.exchange.requestEnded();
    if (!stream.sendsContent) {
      answer(stream);
    }
  }

  @Override
  void reset(Stream stream, int code) {
    // Its answer is of no use any more.
  }

  private void answer(Stream stream) {
    Exchange of = stream.exchange;
    if (of.deed == Deed.IS_SILENT || of.deed == Deed.IS_NOT_READ) {
      return;
    }
    stream.sendsContent = true;
    if (of.informs) {
      sendHead(stream, false, ":status: 103", "link: </a>");
    }
    List<String> fields = new ArrayList<>(List.of(":status: 200", "x-sim: " + of.id));
    if (of.responseFraming == Exchange.Framing.LENGTH) {
      fields.add("content-length: " + of.responseBytes);
    }
    of.costs.forEach(cost -> fields.add(HeldLimits.HEADER + ": " + cost));
    boolean isHead = of.method.equals("HEAD");
    boolean ends = isHead || isWhole(of) && of.responseBytes == 0 && !hasTrailers(of);
    sendHead(stream, ends, fields.toArray(String[]::new));
    if (ends) {
      of.sent();
    } else {
      endContent(stream);
    }
  }

  private static boolean isWhole(Exchange of) {
    return of.deed == Deed.ANSWERS || of.deed == Deed.ANSWERS_EARLY;
  }

  private static boolean hasTrailers(Exchange of) {
    return of.responseFraming == Exchange.Framing.CHUNKS;
  }

  /** Does what follows on the content, once that is sent. */
  private void endContent(Stream stream) {
    Exchange of = stream.exchange;
    if (stream.isReset || stream.localEnded || stream.sentBytes < of.sentBytes) {
      return;
    }
    if (of.deed == Deed.BREAKS_OFF && of.closesService) {
      log.say("%s breaks its connection", this);
      turnAway();
      socket.far().reset();
    } else if (!isWhole(of)) {
      sendReset(stream, CANCEL);
    } else if (hasTrailers(of)) {
      List<String> trailers = new ArrayList<>(List.of("x-trailer: t"));
      of.costs.forEach(cost -> trailers.add(HeldLimits.TRAILER + ": " + cost));
      sendHead(stream, true, trailers.toArray(String[]::new));
      of.sent();
    } else if (of.responseBytes == 0) {
      sendData(stream, 0, true);
      of.sent();
    }
  }

  private boolean content(Choices by) {
    boolean did = false;
    for (Stream stream : streams.values()) {
      Exchange of = stream.exchange;
      if (!stream.sendsContent || stream.localEnded || stream.isReset) {
        continue;
      }
      int left = of.sentBytes - stream.sentBytes;
      int most = Math.min(left, room(stream));
      int count = by == null ? most : piece(by, most);
      if (count > 0) {
        boolean ends = count == left && isWhole(of) && !hasTrailers(of);
        int at = stream.sentBytes;
        of.addResponse(sendData(stream, count, ends), at, count);
        if (ends) {
          of.sent();
        }
        endContent(stream);
        did = true;
      }
      if (did && by != null) {
        return true;
      }
    }
    return did;
  }

  @Override
  public boolean settle() {
    boolean did = read(null);
    did |= content((Choices) null);
    did |= giveCredit();
    did |= send(null);
    return did;
  }

  /** The last connection to a service of HTTP/2 stays, whatever happens, until that ends it. */
  @Override
  public boolean leave() {
    boolean isOpen = !socket.far().isClosed();
    if (isOpen) {
      log.say("%s leaves", this);
      socket.far().close();
    }
    return isOpen;
  }

  @Override
  public void check() {
    check(sawEnd || socket.far().isClosed(), "its connection stays");
  }

  @Override
  public String toString() {
    return "h2 service";
  }
}
