package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static dev.weir.proxy.upstream.h2.HeldPool.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An upload that its service does not read, on a connection that others share. The service gives
 * its window back as its handlers read, as most do.
 */
class UnreadUploadTest extends HeldPoolTest {
  private static final int WINDOW_BYTES = Http2Connection.WINDOW_BYTES;
  private static final int QUARTER_BYTES = WINDOW_BYTES / 4;
  private static final long LOOK_NS = SECOND_NS / 5;
  private static final long MINUTE_NS = 60 * SECOND_NS;

  private final List<HeldClient> clients = new ArrayList<>();
  private Service service;

  UnreadUploadTest() {
    super(new HeldPool(100, 2, 1_000, MINUTE_NS));
  }

  @BeforeEach
  void connect() {
    held.ask(GET);
    service = held.connectSettled();
    service.peer.headers(1, true, ":status: 204");
    service.send();
    service.streams();
  }

  /** A client has begun an upload, and sent so much of it. */
  private HeldClient upload(int bytes) {
    HeldClient client = held.ask(POST).data("x".repeat(bytes), false);
    clients.add(client);
    held.run();
    return client;
  }

  /** How many bytes of content have come on a stream. */
  private static int bytes(List<String> frames, int id) {
    return frames.stream()
        .filter(frame -> frame.startsWith("DATA " + id + " "))
        .mapToInt(frame -> frame.replace(" end", "").length() - ("DATA " + id + " ").length())
        .sum();
  }

  /** The service takes what it was given, and gives its window back by halves. */
  private void credit(int id, int bytes) {
    service.peer.windowUpdate(0, bytes).windowUpdate(id, bytes);
    service.send();
  }

  /** The service reads a short upload, and gives it back at once. */
  private void giveBackEarly() {
    held.ask(POST).data("x".repeat(100), true);
    service.peer.headers(3, true, ":status: 204").windowUpdate(0, 100);
    service.send();
    service.streams();
  }

  private void leave() {
    clients.forEach(client -> client.request.clientGone(8));
  }

  @Test
  void leavesAQuarterOfTheWindowToOthers() {
    upload(70_000);
    List<String> frames = service.streams();
    assertTrue(bytes(frames, 3) > WINDOW_BYTES / 2, bytes(frames, 3) + " bytes");
    assertTrue(bytes(frames, 3) <= WINDOW_BYTES - QUARTER_BYTES, bytes(frames, 3) + " bytes");
    HeldClient other = upload(QUARTER_BYTES / 2);
    assertEquals(QUARTER_BYTES / 2, bytes(service.streams(), 5), "the other's waits for nobody");
    assertEquals(0, other.heldBytes);
    leave();
  }

  @Test
  void goesOnItselfAsItIsRead() {
    HeldClient client = upload(70_000);
    int sent = bytes(service.streams(), 3);
    credit(3, 40_000);
    sent += bytes(service.streams(), 3);
    assertEquals(70_000, sent);
    assertEquals(0, client.heldBytes);
    leave();
  }

  /** Streams have wider windows than their connection, and get them back by halves. */
  @Test
  void isNotHeldByAStreamsWindowThatIsGivenBackLater() {
    service.peer.settings(4, 1 << 20);
    service.send();
    HeldClient client = upload(50_000);
    int sent = bytes(service.streams(), 3);
    for (int i = 0; i < 5; i++) {
      service.peer.windowUpdate(0, sent);
      service.send();
      client.data("x".repeat(50_000), false);
      sent = bytes(service.streams(), 3);
      assertTrue(sent >= WINDOW_BYTES / 2, sent + " bytes");
    }
    leave();
  }

  /** A service that gives nothing back before all of its window is used up. */
  @Test
  void takesTheRestAfterASecondWhereTheServiceGivesNothingBackBefore() {
    held.ask(POST).data("x".repeat(60_000), true);
    int sent = bytes(service.streams(), 3);
    assertTrue(sent < 60_000);
    held.pass(SECOND_NS);
    held.pass(LOOK_NS);
    sent += bytes(service.streams(), 3);
    assertEquals(60_000, sent);
    service.peer.headers(3, true, ":status: 204");
    service.send();
  }

  /** Fills the window by uploads of which nothing is read, until one waits. */
  private void fill() {
    for (int i = 0; i < 3; i++) {
      upload(WINDOW_BYTES);
    }
    service.streams();
  }

  @Test
  void hasAnotherConnectionMadeForThoseWhoComeAfterATenthOfASecond() {
    fill();
    assertEquals(0, held.attempts());
    held.pass(LOOK_NS);
    assertEquals(1, held.attempts());
    Service second = held.connectSettled();
    upload(100);
    assertEquals(100, bytes(second.streams(), 1), "whoever comes goes there");
    assertEquals(List.of(), service.streams().stream().filter(f -> f.startsWith("H")).toList());
    leave();
  }

  @Test
  void passesRequestsOnWhereNoOtherConnectionCanBeMade() {
    replace(new HeldPool(100, 1, 1_000, MINUTE_NS));
    connect();
    fill();
    held.pass(LOOK_NS);
    held.ask(GET);
    assertEquals(1, service.streams().size(), "a head waits for no window");
    leave();
  }

  @Test
  void isSkippedNoMoreOnceItsWindowIsOpen() {
    fill();
    held.pass(LOOK_NS);
    held.connectSettled();
    service.peer.windowUpdate(0, 1 << 20);
    for (int id = 3; id <= 7; id += 2) {
      service.peer.windowUpdate(id, 1 << 20);
    }
    service.send();
    held.pass(LOOK_NS);
    service.streams();
    held.ask(GET);
    assertEquals(1, service.streams().size(), "it is the fullest");
    leave();
  }

  @Test
  void replacesTheConnectionAfterSeconds() {
    fill();
    held.pass(LOOK_NS);
    Service second = held.connectSettled();
    held.pass(2 * SECOND_NS);
    assertEquals(1, held.figure("weir_upstream_replacements_total{cause=\"shut_window\"}"));
    held.ask(GET);
    assertEquals(1, second.streams().size());
    assertEquals(List.of(), resets(), "what it has goes on");
    leave();
  }

  private List<String> resets() {
    return service.streams().stream().filter(frame -> frame.startsWith("RST_STREAM")).toList();
  }

  @Test
  void resetsTheStreamThatIsNotReadAndNoneOfThoseThatWaitBehindIt() {
    HeldClient unread = upload(WINDOW_BYTES);
    HeldClient first = upload(30_000);
    HeldClient second = upload(30_000);
    service.streams();
    held.pass(LOOK_NS);
    Service other = held.connectSettled();
    for (int i = 0; i < 5; i++) {
      answerAnother(other);
      held.pass(SECOND_NS);
    }
    assertEquals(List.of("refused UPSTREAM_TIMEOUT"), unread.told());
    service.peer.windowUpdate(0, WINDOW_BYTES); // of the stream that was reset, and of theirs
    service.send();
    assertEquals(0, first.heldBytes + second.heldBytes, "all of theirs has gone on");
    assertEquals(List.of(), first.told());
    assertEquals(List.of(), second.told());
    clients.remove(unread);
    leave();
  }

  /** A request of somebody else is answered, on another connection. */
  private void answerAnother(Service on) {
    held.ask(GET);
    String head = on.streams().get(0);
    on.peer.headers(Integer.parseInt(head.split(" ")[1]), true, ":status: 204");
    on.send();
  }

  /** It is said nowhere that the service reads others. */
  @Test
  void resetsNobodyWhileTheServiceAnswersNobody() {
    fill();
    for (int i = 0; i < 50; i++) {
      held.pass(LOOK_NS);
    }
    assertEquals(List.of(), resets());
    assertTrue(clients.stream().allMatch(client -> client.told().isEmpty()));
    leave();
  }

  /** Creeping credit: a byte at a time is no turn for those who wait. */
  @Test
  void isCrowdedThoughItsWindowCreeps() {
    fill();
    for (int i = 0; i < 10; i++) {
      held.pass(SECOND_NS / 20);
      service.peer.windowUpdate(0, 1);
      service.send();
    }
    assertEquals(1, held.attempts());
    leave();
  }

  /** However long it is not read: it stands in nobody's way. */
  @Test
  void anUploadThatWaitsAloneIsNotReset() {
    giveBackEarly();
    HeldClient client = upload(WINDOW_BYTES);
    held.pass(LOOK_NS);
    Service other = held.connectSettled();
    for (int i = 0; i < 20; i++) {
      answerAnother(other);
      held.pass(SECOND_NS);
    }
    assertEquals(List.of(), client.told());
    assertEquals(0, held.figure("weir_upstream_replacements_total{cause=\"shut_window\"}"));
    leave();
  }

  @Test
  void aServiceThatGivesBackEarlyNeverGivesOneStreamTheRest() {
    giveBackEarly();
    upload(70_000);
    held.pass(3 * SECOND_NS);
    assertTrue(bytes(service.streams(), 5) <= WINDOW_BYTES - QUARTER_BYTES);
    leave();
  }

  /** Whoever lets a service's window stand still has connections of its own for a while. */
  @Test
  void aClientWhoseUploadWasResetSharesNoConnectionForAWhile() {
    held.clientKey = 7;
    HeldClient unread = upload(WINDOW_BYTES);
    held.clientKey = 8;
    upload(30_000);
    held.pass(LOOK_NS);
    Service other = held.connectSettled();
    for (int i = 0; i < 5; i++) {
      answerAnother(other);
      held.pass(SECOND_NS);
    }
    assertEquals(List.of("refused UPSTREAM_TIMEOUT"), unread.told());
    clients.remove(unread);
    int attempts = held.attempts();
    held.clientKey = 7;
    held.ask(GET);
    assertEquals(attempts + 1, held.attempts(), "another one for it");
    assertEquals(List.of(), other.streams());
    leave();
  }

  @Test
  void anUploadThatIsReadSlowlyButSteadilyIsNotReset() {
    HeldClient client = upload(WINDOW_BYTES);
    service.streams();
    for (int i = 0; i < 40; i++) {
      held.pass(SECOND_NS / 2);
      client.data("x".repeat(2_000), false);
      credit(3, 2_000);
      service.pings();
    }
    assertEquals(List.of(), client.told());
    leave();
  }
}
