package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients whose streams are often reset, beside others, before a service that counts resets. */
class OftenResetClientsTest extends HeldPoolTest {
  private static final long RESETTER = 7;
  private static final long OTHER = 8;
  private static final int MANY = ClientResets.MOST + 1;

  private final List<HeldClient> clients = new ArrayList<>();

  OftenResetClientsTest() {
    super(new HeldPool(100, 1, 100, HeldPool.MINUTE_NS));
  }

  @AfterEach
  void end() {
    clients.forEach(client -> client.request.clientGone(RequestEnd.NO_CODE));
  }

  private HeldClient ask(long client) {
    held.clientKey = client;
    HeldClient asking = held.ask(GET);
    clients.add(asking);
    held.run();
    return asking;
  }

  private void askAndLeave(long client, int times) {
    for (int i = 0; i < times; i++) {
      HeldClient asking = ask(client);
      clients.remove(asking);
      asking.request.clientGone(ErrorCode.CANCEL);
      held.run();
    }
  }

  private static long count(Service service, String kind) {
    return service.streams().stream().filter(frame -> frame.startsWith(kind)).count();
  }

  /** The connection of all, on which one client has had many streams reset. */
  private Service connectAndReset() {
    ask(OTHER);
    Service shared = held.connectSettled();
    askAndLeave(RESETTER, MANY);
    List<String> frames = shared.streams();
    assertEquals(MANY, frames.stream().filter(frame -> frame.startsWith("RST_STREAM")).count());
    return shared;
  }

  @Test
  void getAConnectionOfTheirOwnThatTheServiceMayEnd() {
    Service shared = connectAndReset();
    HeldClient resetter = ask(RESETTER);
    assertEquals(1, held.attempts(), "a connection apart");
    Service apart = held.connectSettled();
    assertEquals(1, count(apart, "HEADERS"));
    HeldClient other = ask(OTHER);
    assertEquals(1, count(shared, "HEADERS"), "others stay");
    apart.peer.goAway(1, ErrorCode.ENHANCE_YOUR_CALM);
    apart.send();
    apart.breakOff();
    clients.remove(resetter);
    assertTrue(resetter.told().get(0).startsWith("refused"), "its own connection ends");
    shared.peer.headers(2 * MANY + 3, true, ":status: 204");
    shared.send();
    clients.remove(other);
    assertEquals(List.of("head 204 alone", "data  end", "ended"), other.told());
  }

  @Test
  void shareTheConnectionOfAllUntilResetsAreMany() {
    ask(OTHER);
    Service shared = held.connectSettled();
    askAndLeave(RESETTER, MANY - 1);
    ask(RESETTER);
    assertEquals(0, held.attempts());
    assertEquals(MANY + 1, count(shared, "HEADERS"));
  }

  @Test
  void comeBackWhenNoResetCountsAnyMore() {
    Service shared = connectAndReset();
    held.time.pass(MANY * ClientResets.SECONDS_OF_ONE * HeldPool.SECOND_NS);
    held.run();
    shared.streams();
    ask(RESETTER);
    assertEquals(0, held.attempts());
    assertEquals(1, count(shared, "HEADERS"));
  }

  @Test
  void anAnswerThatEndsBeforeItsRequestCountsAsAResetToo() {
    ask(OTHER);
    Service shared = held.connectSettled();
    held.clientKey = RESETTER;
    for (int i = 0; i < MANY; i++) {
      HeldClient posting = held.ask("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n");
      shared.peer.headers(2 * i + 3, true, ":status: 204");
      shared.send();
      assertEquals("head 204 alone", posting.told().get(0));
    }
    assertEquals(MANY, count(shared, "RST_STREAM"));
    ask(RESETTER);
    assertEquals(1, held.attempts());
  }

  static List<Named<Consumer<HeldClient>>> causes() {
    return List.of(
        Named.of("its word", asking -> asking.request.clientGone(ErrorCode.CANCEL)),
        Named.of("its end", asking -> asking.request.clientGone(RequestEnd.NO_CODE)),
        Named.of("its trailers", asking -> asking.request.abort(RefusalReason.HEAD_TOO_LARGE)),
        Named.of("its chunks", asking -> asking.request.abort(RefusalReason.MALFORMED_CHUNK)),
        Named.of("its deadline", asking -> asking.request.abort(RefusalReason.DEADLINE_EXCEEDED)));
  }

  /** Whatever a client does by which a stream is reset, it counts. */
  @ParameterizedTest
  @MethodSource("causes")
  void eachCauseOfAResetCounts(Consumer<HeldClient> cause) {
    ask(OTHER);
    Service shared = held.connectSettled();
    for (int i = 0; i < MANY; i++) {
      HeldClient asking = ask(RESETTER);
      clients.remove(asking);
      cause.accept(asking);
      held.run();
    }
    assertEquals(MANY, count(shared, "RST_STREAM"));
    ask(RESETTER);
    assertEquals(1, held.attempts(), "a connection apart");
  }
}
