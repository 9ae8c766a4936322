package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ClientTimeouts;
import dev.weir.proxy.downstream.HeldService;
import dev.weir.proxy.downstream.HostileRequests;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is refused of a request before anything is decided, over bytes. */
class HeadReaderTest {
  private static final int LONGEST_IN_PIECES = 2000;

  /** What a new connection of a client is given; nothing of it is asked while a head is read. */
  private static final ClientLoop CLIENTS =
      new ClientLoop(
          new ClientSettings(
              List.of(ListenerSettings.plain(new InetSocketAddress(0))),
              new ClientTimeouts(1, 1, 1, 1, 1),
              new ClientCaps(32 * 1024, 100, 8 * 1024, 1, 1),
              new AnswerSettings(true, true)),
          new LoopClock(),
          new Deadlines(new LoopClock()),
          new ClientShares(1 << 20),
          null,
          new HeldService(),
          null,
          null);

  private static final Http1ClientLoop LOOP =
      new Http1ClientLoop(CLIENTS, new Http1Memory(new LoopClock(), 1 << 20));

  private final HeadReader reader = new HeadReader(LOOP, Peer.LOOPBACK);

  static List<HostileRequests.Case> hostile() {
    return HostileRequests.cases();
  }

  /** Those that their heads refuse; what is wrong with chunks is told from the first that come. */
  static List<HostileRequests.Case> hostileHeads() {
    return HostileRequests.cases().stream()
        .filter(hostile -> !hostile.group().startsWith("chunk"))
        .filter(hostile -> !hostile.group().equals("trailer"))
        .filter(hostile -> hostile.request().length() <= LONGEST_IN_PIECES)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void refuses(HostileRequests.Case hostile) {
    ByteBuf in = bytes(hostile.request());
    assertEquals(RequestHead.REFUSED, reader.read(in));
    assertEquals(hostile.status(), reader.fault().httpStatus(), reader.fault().name());
    in.release();
  }

  /** No boundary between two reads may matter, wherever it is. */
  @ParameterizedTest
  @MethodSource("hostileHeads")
  void refusesByteByByte(HostileRequests.Case hostile) {
    ByteBuf in = Unpooled.directBuffer(LONGEST_IN_PIECES);
    int length = RequestHead.INCOMPLETE;
    for (int i = 0; i < hostile.request().length() && length == RequestHead.INCOMPLETE; i++) {
      in.writeByte(hostile.request().charAt(i));
      length = reader.read(in);
    }
    assertEquals(RequestHead.REFUSED, length);
    assertEquals(hostile.status(), reader.fault().httpStatus(), reader.fault().name());
    in.release();
  }

  @Test
  void findsTheNextHeadBehindOneThatWasRead() {
    String first = "GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n";
    ByteBuf in = bytes("\r\n" + first + "\r\nGET /c HTTP/1.1\r\nHost: b\r\n\r\n");
    assertEquals(first.length(), reader.read(in));
    assertEquals("/b", path());
    in.skipBytes(first.length());
    assertTrue(reader.read(in) > 0);
    assertEquals("/c", path());
    in.release();
  }

  @Test
  void awaitsTheRestOfAHead() {
    String head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n";
    for (int end = 0; end < head.length(); end++) {
      ByteBuf in = bytes(head.substring(0, end));
      assertEquals(RequestHead.INCOMPLETE, new HeadReader(LOOP, Peer.LOOPBACK).read(in));
      in.release();
    }
  }

  private static String path() {
    return LOOP.head.view().text(LOOP.head.view().pathOffset(), LOOP.head.view().pathLength());
  }

  private static ByteBuf bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return Unpooled.directBuffer(bytes.length).writeBytes(bytes);
  }
}
