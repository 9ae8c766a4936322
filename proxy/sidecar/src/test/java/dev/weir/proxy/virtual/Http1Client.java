package dev.weir.proxy.virtual;

import dev.weir.proxy.virtual.Http1Reader.Event;
import dev.weir.proxy.virtual.VirtualSocket.End;
import java.util.ArrayList;
import java.util.List;

/**
 * A client of HTTP/1.1: some requests on one connection, one by one or pipelined, in pieces of any
 * size. It may leave at any byte, in order or by a reset, or stop reading; and it reads on after it
 * has ended its side.
 */
final class Http1Client implements Actor {
  private static final int MOST_REQUESTS = 4;

  private final VirtualSocket socket;
  private final Log log;
  private final List<Exchange> exchanges = new ArrayList<>();

  /** Where each request ends in all that is sent. */
  private final List<Integer> ends = new ArrayList<>();

  /** Where the bytes of each request begin that wait for a 100; the end, if none do. */
  private final List<Integer> pauses = new ArrayList<>();

  private final ByteQueue out = new ByteQueue();
  private final ByteQueue in = new ByteQueue();
  private final Http1Reader reader = new Http1Reader();
  private final boolean pipelines;
  private final boolean isCalm;

  /** It is gone without a word: it neither sends nor reads any more. */
  private boolean isDead;

  private int sentBytes;

  /** How many responses have ended. */
  private int answers;

  /** How many of the requests have got a 100, or something better. */
  private int mayGoOn;

  private boolean hasHead;
  private boolean sawEnd;

  Http1Client(VirtualSocket socket, Choices choices, Exchanges all, Log log) {
    this.socket = socket;
    this.log = log;
    isCalm = all.isCalm();
    pipelines = choices.below(2) == 1;
    int count = 1 + choices.below(MOST_REQUESTS);
    for (int i = 0; i < count; i++) {
      add(all.next(choices));
    }
  }

  private void add(Exchange exchange) {
    exchanges.add(exchange);
    out.add(
        exchange.method
            + " /x/"
            + exchange.id
            + (exchange.isHttp10 ? " HTTP/1.0" : " HTTP/1.1")
            + "\r\nHost: a");
    for (int i = 0; i < exchange.identities.size(); i++) {
      out.add("\r\n" + DrawnRule.FIELDS.get(i) + ": " + exchange.identities.get(i));
    }
    out.add(
        (exchange.closesClient ? "\r\nConnection: close" : "")
            + (exchange.expects ? "\r\nExpect: 100-continue" : "")
            + "\r\n");
    boolean isChunked = exchange.requestFraming == Exchange.Framing.CHUNKS;
    if (exchange.requestBytes > 0) {
      out.add(
          isChunked
              ? "Transfer-Encoding: chunked\r\n"
              : "Content-Length: " + exchange.requestBytes + "\r\n");
    }
    out.add("\r\n");
    int bodyAt = out.size();
    int chunk = isChunked ? Math.max(1, exchange.requestBytes / 3) : exchange.requestBytes;
    for (int at = 0; at < exchange.requestBytes; ) {
      int count = Math.min(chunk, exchange.requestBytes - at);
      out.add(isChunked ? Integer.toHexString(count) + "\r\n" : "");
      exchange.addRequest(out, at, count);
      at += count;
      out.add(isChunked ? "\r\n" : "");
    }
    if (isChunked && exchange.requestBytes > 0) {
      out.add("0\r\n\r\n");
    }
    ends.add(out.size());
    pauses.add(exchange.expects ? bodyAt : out.size());
  }

  /** How many bytes it may send now. */
  private int due() {
    int upTo = ends.get(ends.size() - 1);
    for (int i = 0; i < exchanges.size(); i++) {
      if (!pipelines && i > answers) {
        upTo = Math.min(upTo, ends.get(i - 1));
      }
      if (i >= mayGoOn) {
        upTo = Math.min(upTo, pauses.get(i));
        if (pauses.get(i) < ends.get(i)) {
          break;
        }
      }
    }
    return Math.max(0, Math.min(upTo - sentBytes, socket.far().room()));
  }

  @Override
  public void step(Choices choices) {
    if (isDead) {
      return;
    }
    switch (choices.below(24)) {
      case 23 -> leave(isCalm ? 4 : choices.below(5));
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 -> send(piece(choices, due()));
      default -> read(piece(choices, socket.far().readable()));
    }
  }

  private static int piece(Choices choices, int most) {
    return most == 0 ? 0 : choices.below(3) == 2 ? 1 + choices.below(most) : most;
  }

  private void leave(int how) {
    switch (how) {
      case 0 -> {
        log.say("%s ends what it sends at %d", this, sentBytes);
        socket.far().end();
      }
      case 1 -> {
        log.say("%s resets at %d", this, sentBytes);
        socket.far().reset();
        isDead = true;
      }
      case 2 -> {
        log.say("%s closes at %d", this, sentBytes);
        socket.far().close();
        isDead = true;
      }
      case 3 -> {
        log.say("%s says and reads nothing any more", this);
        isDead = true;
      }
      default -> {
        // It thinks better of it.
      }
    }
  }

  private boolean send(int count) {
    if (count == 0 || socket.far().hasEnded()) {
      return false;
    }
    log.say("%s sends %d", this, count);
    socket.far().send(out, count);
    for (int i = 0; i < exchanges.size() && (i == 0 || ends.get(i - 1) < sentBytes + count); i++) {
      exchanges.get(i).began();
    }
    sentBytes += count;
    return true;
  }

  private boolean read(int count) {
    if (count > 0) {
      log.say("%s reads %d", this, count);
      socket.far().read(in, count);
      parse();
    }
    End end = socket.far().ended();
    if (end == End.NONE || sawEnd) {
      return count > 0;
    }
    sawEnd = true;
    log.say("%s sees the end %s", this, end);
    if (end == End.IN_ORDER && hasHead && reader.endsWithConnection()) {
      exchanges.get(answers).responseEnded();
      answers++;
      hasHead = false;
    }
    socket.far().close();
    return true;
  }

  private void parse() {
    while (true) {
      if (answers == exchanges.size()) {
        if (!in.isEmpty()) {
          throw new AssertionError(this + " gets bytes that it did not ask for: " + rest());
        }
        return;
      }
      Exchange exchange = exchanges.get(answers);
      switch (reader.next(in, true, exchange.method.equals("HEAD"))) {
        case NONE -> {
          return;
        }
        case HEAD -> {
          mayGoOn = Math.max(mayGoOn, answers + 1);
          if (reader.status() / 100 == 1) {
            expect(Event.END, exchange);
          } else {
            hasHead = true;
            exchange.answered(reader.status(), reader.fields.get("x-sim"));
            log.say("%s gets %d for %s", this, reader.status(), exchange);
          }
        }
        case DATA -> exchange.responseData(in, reader.dataBytes);
        case END -> {
          exchange.responseEnded();
          hasHead = false;
          answers++;
        }
      }
    }
  }

  private void expect(Event event, Exchange exchange) {
    if (reader.next(in, true, true) != event) {
      throw new AssertionError("an informational response with a body for " + exchange);
    }
  }

  private String rest() {
    return in.text(Math.min(100, in.size()));
  }

  @Override
  public boolean settle() {
    if (isDead) {
      return false;
    }
    boolean sent = send(due());
    boolean read = read(socket.far().readable());
    return sent || read;
  }

  @Override
  public void checkServed() {
    if (exchanges.get(0).deed == Exchange.Deed.IS_NOT_READ) {
      return; // it, and those behind it
    }
    if (!isDead && !sawEnd && answers < exchanges.size() && sentBytes >= ends.get(answers)) {
      throw new AssertionError(exchanges.get(answers) + ": waits, and nothing else happens");
    }
  }

  @Override
  public void check() {
    if (!isDead && !sawEnd) {
      throw new AssertionError(this + " is left alone after " + answers + " responses");
    }
    boolean mayHaveEnded = false;
    for (int i = 0; i < exchanges.size(); i++) {
      Exchange exchange = exchanges.get(i);
      exchange.isCutOff = i >= answers;
      exchange.endedBefore = mayHaveEnded;
      mayHaveEnded |= exchange.closesClient || exchange.isHttp10 || !exchange.isOfService();
    }
  }

  @Override
  public String toString() {
    return "client " + exchanges.get(0).id;
  }
}
