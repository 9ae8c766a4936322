package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldClient.assertTold;
import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.HEAD;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a request that a service of HTTP/2 did not take: sent once more, or refused. */
class Http2RepeatTest extends HeldPoolTest {
  @Test
  void sendsOnceMoreWhatTheServiceHasRefused() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("hello", true);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals(
        List.of(
            "HEADERS 3 :method: POST, :scheme: http, :authority: h, :path: /a", "DATA 3 hello end"),
        service.streams());
    assertTold(client);
    assertEquals(1, held.admission.charged);
    service.peer.headers(3, true, ":status: 204");
    service.send();
    assertTold(client, "head 204 alone", "data  end", "ended");
    assertEquals(List.of("COMPLETE 204 5 0"), held.admission.ends);
  }

  /** The client was told when the service had refused what it would not take. */
  @Test
  void creditsABodyOnceThatWaitsForAWindowTwice() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled(Setting.INITIAL_WINDOW_SIZE, 4);
    client.data("hello", false);
    assertEquals(1, client.heldBytes);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals("DATA 3 hell", service.streams().get(1));
    assertEquals(0, client.heldBytes);
    client.data(" there", true);
    assertEquals(6, client.heldBytes);
    service.peer.windowUpdate(3, 3);
    service.send();
    assertEquals(List.of("DATA 3 o t"), service.streams());
    assertEquals(4, client.heldBytes);
    service.peer.windowUpdate(3, 10);
    service.send();
    assertEquals(List.of("DATA 3 here end"), service.streams());
    assertEquals(0, client.heldBytes);
  }

  @Test
  void sendsNothingAThirdTime() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    service.streams();
    service.peer.reset(3, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "refused UPSTREAM_BUSY");
    assertEquals(List.of(), service.streams());
    assertEquals(1, held.admission.charged);
  }

  @Test
  void repeatsNoBodyThatIsNotKept() {
    HeldClient client = held.ask(POST);
    Service service = held.connectSettled();
    client.data("x".repeat(ReplayBuffer.MAX_BODY_BYTES + 1), true);
    service.streams();
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "refused UPSTREAM_BUSY");
  }

  /** It says that it has looked at nothing, and has answered. */
  @Test
  void repeatsNothingThatWasAnswered() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.headers(1, false, ":status: 200").data(1, false, "a");
    service.peer.reset(1, ErrorCode.REFUSED_STREAM);
    service.send();
    assertTold(client, "head 200", "data a", "reset SERVICE_GONE " + ErrorCode.INTERNAL_ERROR);
    assertEquals(List.of(), service.streams());
    assertEquals(1, held.admission.charged);
  }

  @Test
  void sendsElsewhereWhatAGoawayLeavesOut() {
    HeldClient first = held.ask(GET);
    Service service = held.connectSettled();
    HeldClient second = held.ask(GET);
    HeldClient third = held.ask(GET);
    service.streams();
    service.peer.goAway(3, ErrorCode.NO_ERROR);
    service.send();
    Service other = held.connectSettled();
    assertEquals(List.of(HEAD.formatted(1)), other.streams());
    service.peer.goAway(1, ErrorCode.NO_ERROR); // and the identifier falls
    service.send();
    assertEquals(List.of(HEAD.formatted(3)), other.streams());
    service.peer.headers(1, true, ":status: 204");
    service.send();
    other.peer.headers(1, true, ":status: 205").headers(3, true, ":status: 206");
    other.send();
    assertTold(first, "head 204 alone", "data  end", "ended");
    assertTold(third, "head 205 alone", "data  end", "ended");
    assertTold(second, "head 206 alone", "data  end", "ended");
    assertEquals(3, held.admission.charged);
    assertFalse(service.channel.isOpen());
  }

  @Test
  void tellsOfALostConnectionWhatWasSentOnIt() {
    HeldClient waiting = held.ask(GET);
    HeldClient answered = held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    service.peer.headers(3, false, ":status: 200").data(3, false, "a");
    service.send();
    service.breakOff();
    assertTold(waiting, "refused UPSTREAM_CLOSED");
    assertTold(answered, "head 200", "data a", "flush", "reset SERVICE_GONE");
    assertEquals(2, held.admission.charged);
  }

  /** Within the turn in which it was opened, none of it has been sent. */
  @Test
  void sendsElsewhereWhatALostConnectionNeverSent() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.peer.headers(1, true, ":status: 204");
    service.send();
    HeldClient client = held.ask(GET);
    service.breakOff();
    Service other = held.connectSettled();
    assertEquals(List.of(HEAD.formatted(1)), other.streams());
    assertTold(client);
  }

  /** Opened by somebody who is told of a turn's end before the connection is, which then sends. */
  @Test
  void repeatsNothingThatWasSentInTheTurnThatOpenedIt() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.streams();
    List<HeldClient> late = new ArrayList<>();
    service.peer.headers(1, false, ":status: 200").send();
    held.http2.turnEnd().join(() -> late.add(held.ask(GET)));
    service.peer.settings().send();
    held.http2.turnEnd().join(service.channel::close);
    assertEquals(List.of(HEAD.formatted(3)), service.streams());
    assertTold(late.get(0), "refused UPSTREAM_CLOSED");
  }

  @Test
  void repeatsNothingForAClientThatHasLeft() {
    HeldClient client = held.ask(GET);
    Service service = held.connectSettled();
    service.peer.goAway(0, ErrorCode.NO_ERROR);
    service.send();
    client.request.clientGone(ErrorCode.CANCEL);
    Service other = held.connectSettled();
    assertEquals(List.of(), other.streams());
    assertEquals(List.of("CLIENT_GONE 0 0 0"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }
}
