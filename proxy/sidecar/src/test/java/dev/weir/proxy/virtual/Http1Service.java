package dev.weir.proxy.virtual;

import dev.weir.proxy.virtual.Exchange.Deed;
import dev.weir.proxy.virtual.Exchange.Framing;
import dev.weir.proxy.virtual.VirtualSocket.End;

/** One connection of a service of HTTP/1.1, which does with each request what that says. */
final class Http1Service implements Actor {
  private final VirtualSocket socket;
  private final Exchanges exchanges;
  private final Log log;
  private final ByteQueue in = new ByteQueue();
  private final ByteQueue out = new ByteQueue();
  private final Http1Reader reader = new Http1Reader();

  /** The request that is being read or answered; null if there is none. */
  private Exchange present;

  private boolean isRead;
  private boolean isWritten;
  private boolean sawEnd;

  /** What it does once its output is sent. */
  private End then = End.NONE;

  Http1Service(VirtualSocket socket, Exchanges exchanges, Log log) {
    this.socket = socket;
    this.exchanges = exchanges;
    this.log = log;
  }

  @Override
  public void step(Choices choices) {
    int choice = choices.below(32);
    if (choice == 31) {
      if (present == null && !exchanges.isCalm() && choices.oneIn(4)) {
        log.say("the service ends an idle connection");
        socket.far().close();
      }
    } else if (choice % 2 == 0) {
      int most = Math.min(out.size(), socket.far().room());
      send(most == 0 ? 0 : choices.below(3) == 2 ? 1 + choices.below(most) : most);
    } else {
      int most = socket.far().readable();
      read(most == 0 ? 0 : choices.below(3) == 2 ? 1 + choices.below(most) : most);
    }
  }

  private boolean send(int count) {
    boolean did = count > 0;
    if (did) {
      log.say("the service sends %d of %s", count, present);
      socket.far().send(out, count);
    }
    if (present != null && isWritten && out.isEmpty()) {
      present.sent();
    }
    if (out.isEmpty() && then != End.NONE && !socket.far().isClosed()) {
      log.say("the service ends its connection %s", then);
      if (then == End.RESET) {
        socket.far().reset();
      } else {
        socket.far().close();
      }
      did = true;
    }
    if (mayTakeNext()) {
      parse();
    }
    return did;
  }

  /** Forgets the present request if all of it is done; returns whether there was one. */
  private boolean mayTakeNext() {
    boolean isDone = present != null && isWritten && isRead && out.isEmpty() && then == End.NONE;
    if (isDone) {
      present = null;
    }
    return isDone;
  }

  private boolean read(int count) {
    boolean did = count > 0;
    if (did) {
      log.say("the service reads %d", count);
      socket.far().read(in, count);
      parse();
    }
    if (!sawEnd && socket.far().ended() != End.NONE) {
      sawEnd = true;
      socket.far().close();
      out.clear();
      did = true;
    }
    return did;
  }

  private void parse() {
    while (true) {
      if (present != null && isRead) {
        if (!in.isEmpty()) {
          throw new AssertionError("bytes behind " + present + ", which has no answer yet");
        }
        return;
      }
      switch (reader.next(in, false, false)) {
        case NONE -> {
          return;
        }
        case HEAD -> {
          String[] line = reader.startLine.split(" ");
          present = exchanges.of(line[1]);
          isRead = false;
          isWritten = false;
          log.say("the service gets %s", present);
          present.arrived(line[0]);
          if (reader.fields.containsKey("expect")) {
            out.add("HTTP/1.1 100 Continue\r\n\r\n");
          }
          if (present.deed == Deed.ANSWERS_EARLY) {
            answer();
          }
        }
        case DATA -> present.requestData(in, reader.dataBytes);
        case END -> {
          isRead = true;
          present.requestEnded();
          if (!isWritten) {
            answer();
          } else {
            mayTakeNext();
          }
        }
      }
    }
  }

  private void answer() {
    Exchange of = present;
    if (of.deed == Deed.IS_SILENT || of.deed == Deed.IS_NOT_READ) {
      return;
    }
    isWritten = true;
    if (of.informs && !of.isHttp10) {
      out.add("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    }
    out.add("HTTP/1.1 200 OK\r\nX-Sim: " + of.id + "\r\n");
    boolean endsUntold = of.responseFraming == Framing.CONNECTION && of.method.equals("HEAD");
    of.costs.forEach(cost -> out.add(HeldLimits.HEADER + ": " + cost + "\r\n"));
    if (of.closesService || endsUntold) {
      out.add("Connection: close\r\n");
    }
    switch (of.responseFraming) {
      case LENGTH -> out.add("Content-Length: " + of.responseBytes + "\r\n");
      case CHUNKS -> out.add("Transfer-Encoding: chunked\r\n");
      case CONNECTION -> {
        // Its end is that of the connection.
      }
    }
    out.add("\r\n");
    boolean isWhole = of.deed == Deed.ANSWERS || of.deed == Deed.ANSWERS_EARLY;
    if (!of.method.equals("HEAD")) {
      body(of);
      if (isWhole && of.responseFraming == Framing.CHUNKS) {
        out.add("0\r\nX-Trailer: t\r\n");
        of.costs.forEach(cost -> out.add(HeldLimits.TRAILER + ": " + cost + "\r\n"));
        out.add("\r\n");
      }
    }
    if (of.deed == Deed.BREAKS_OFF) {
      then = End.RESET;
    } else if (!isWhole || of.closesService || of.responseFraming == Framing.CONNECTION) {
      then = End.IN_ORDER;
    }
  }

  private void body(Exchange of) {
    boolean isChunked = of.responseFraming == Framing.CHUNKS;
    int chunk = isChunked ? Math.max(1, of.responseBytes / 3) : of.responseBytes;
    for (int at = 0; at < of.sentBytes; ) {
      int count = Math.min(chunk, of.responseBytes - at);
      if (isChunked) {
        out.add(Integer.toHexString(count) + "\r\n");
      }
      int sent = Math.min(count, of.sentBytes - at);
      of.addResponse(out, at, sent);
      at += count;
      out.add(isChunked && sent == count ? "\r\n" : "");
    }
  }

  @Override
  public boolean settle() {
    boolean read = read(socket.far().readable());
    boolean sent = send(Math.min(out.size(), socket.far().room()));
    return read || sent;
  }

  @Override
  public void check() {
    if (!sawEnd && !socket.far().isClosed()) {
      throw new AssertionError("a connection to the service stays");
    }
  }
}
