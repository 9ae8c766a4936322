package dev.weir.proxy.virtual;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A client of HTTP/2: some streams on one connection, opened when chosen, each of which it may
 * reset; and it may leave as a client of HTTP/1.1 may.
 */
final class Http2Client extends Http2End {
  private static final int MOST_STREAMS = 6;

  private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
  private final List<Exchange> exchanges = new ArrayList<>();
  private final boolean isCalm;
  private int nextId = 1;

  Http2Client(VirtualSocket socket, Choices choices, Exchanges all, Log log) {
    super(socket, log, choices.of(65_535, 100, 0, 5_000, 200_000), 0, true);
    isCalm = all.isCalm();
    int count = 1 + choices.below(MOST_STREAMS);
    for (int i = 0; i < count; i++) {
      exchanges.add(all.next(choices));
    }
    waiting.addAll(exchanges);
  }

  @Override
  public void step(Choices choices) {
    if (isDead) {
      return;
    }
    switch (choices.below(32)) {
      case 31 -> leave(choices.below(4));
      case 30 -> cancel(choices);
      case 24, 25, 26, 27 -> open();
      case 20, 21, 22, 23 -> content(choices);
      case 18, 19 -> giveCredit();
      case 0, 1, 2, 3, 4, 5, 6, 7, 8 -> send(choices);
      default -> read(choices);
    }
  }

  private void leave(int how) {
    if (isCalm) {
      return;
    }
    log.say("%s leaves in way %d", this, how);
    switch (how) {
      case 0 -> socket.far().end();
      case 1 -> socket.far().reset();
      case 2 -> socket.far().close();
      default -> {
        // Without a word.
      }
    }
    isDead = how > 0;
  }

  private void cancel(Choices choices) {
    if (isCalm || streams.isEmpty()) {
      return;
    }
    Stream stream = streams.get(1 + 2 * choices.below(streams.size()));
    if (stream.isOpen()) {
      sendReset(stream, CANCEL);
    }
  }

  private boolean open() {
    if (waiting.isEmpty() || isGoingAway || socket.far().hasEnded()) {
      return false;
    }
    Exchange exchange = waiting.remove();
    Stream stream = stream(nextId, exchange);
    nextId += 2;
    log.say("%s opens stream %d for %s", this, stream.id, exchange);
    exchange.began();
    List<String> fields = new ArrayList<>();
    fields.add(":method: " + exchange.method);
    fields.add(":scheme: http");
    fields.add(":path: /x/" + exchange.id);
    fields.add(":authority: a");
    for (int i = 0; i < exchange.identities.size(); i++) {
      fields.add(DrawnRule.FIELDS.get(i) + ": " + exchange.identities.get(i));
    }
    if (exchange.requestFraming == Exchange.Framing.LENGTH && exchange.requestBytes > 0) {
      fields.add("content-length: " + exchange.requestBytes);
    }
    stream.sendsContent = exchange.requestBytes > 0;
    sendHead(stream, exchange.requestBytes == 0, fields.toArray(String[]::new));
    return true;
  }

  /** Sends a frame of content of some stream; null for as much as possible of all. */
  private boolean content(Choices choices) {
    boolean did = false;
    for (Stream stream : streams.values()) {
      if (stream.sendsContent && !stream.localEnded && !stream.isReset) {
        int left = stream.exchange.requestBytes - stream.sentBytes;
        int most = Math.min(left, room(stream));
        int count = choices == null ? most : piece(choices, most);
        if (count > 0) {
          int at = stream.sentBytes;
          stream.exchange.addRequest(sendData(stream, count, count == left), at, count);
          did = true;
        }
      }
      if (did && choices != null) {
        return true;
      }
    }
    return did;
  }

  @Override
  void head(int id, List<String> fields, boolean end) {
    Stream stream = streams.get(id);
    check(stream != null, "a head on stream " + id + ", which was not opened");
    Map<String, String> map = map(fields);
    String status = map.get(":status");
    if (status == null) {
      check(stream.hasHead && end, "trailers before the end");
    } else if (status.charAt(0) == '1') {
      check(!end && !stream.hasHead, "an informational response out of place");
    } else {
      check(!stream.hasHead, "a second head on stream " + id);
      stream.hasHead = true;
      log.say("%s gets %s for %s", this, status, stream.exchange);
      stream.exchange.answered(Integer.parseInt(status), map.get("x-sim"));
    }
  }

  @Override
  void content(Stream stream, ByteQueue bytes, int count) {
    stream.exchange.responseData(bytes, count);
  }

  @Override
  void ended(Stream stream) {
    stream.exchange.responseEnded();
  }

  @Override
  void reset(Stream stream, int code) {
    check(code != REFUSED_STREAM, "would repeat stream " + stream.id);
    if (!stream.exchange.isDone) {
      stream.exchange.isCutOff = true;
    }
  }

  @Override
  public boolean settle() {
    if (isDead) {
      return false;
    }
    boolean did = read(null);
    did |= open();
    did |= content((Choices) null);
    did |= giveCredit();
    did |= send(null);
    return did;
  }

  @Override
  public void checkServed() {
    if (exchanges.get(0).deed == Exchange.Deed.IS_NOT_READ) {
      return; // it takes what its client may have under way
    }
    for (Stream stream : streams.values()) {
      check(
          isDead || sawEnd || !stream.isOpen(),
          stream.exchange + " waits, and nothing else happens");
    }
  }

  @Override
  public void check() {
    check(isDead || sawEnd, "is left alone");
    for (Exchange exchange : exchanges) {
      exchange.isCutOff |= !exchange.isDone;
    }
  }

  @Override
  public String toString() {
    return "h2 client " + exchanges.get(0).id;
  }
}
