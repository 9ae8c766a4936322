package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.h2.HeldPool.Service;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a service is pinged, and when a connection to it is replaced by another. */
class ConnectionHealthTest extends HeldPoolTest {
  private static final long SECOND_NS = HeldPool.SECOND_NS;
  private static final long TENTH_NS = SECOND_NS / 10;

  /** How long a service may take to answer. */
  private static final long RESPONSE_NS = 2 * SECOND_NS;

  /** A request that the service does not answer in time. */
  private void askInVain() {
    held.ask(GET);
    held.pass(RESPONSE_NS);
  }

  /** The connection that has a stream which is silent for as long as it likes. */
  private Service connectWithStream(int... settings) {
    held.ask(GET);
    Service service = held.connectSettled(settings);
    service.peer.headers(1, false, ":status: 200", "content-type: application/grpc");
    service.send();
    service.streams();
    return service;
  }

  @Test
  void pingsAServiceThatLetsADeadlinePassInSilenceWhileTheStreamIsOpen() {
    held.ask(GET);
    Service service = held.connectSettled();
    service.peer.received();
    held.pass(RESPONSE_NS);
    List<String> frames = service.peer.received();
    assertEquals(2, frames.size());
    assertTrue(frames.get(0).matches("PING \\d+"), frames::toString);
    assertEquals("RST_STREAM 1 CANCEL", frames.get(1));
  }

  @Test
  void pingsNoServiceThatSpeaks() {
    held.ask(GET);
    held.ask(GET);
    Service service = held.connectSettled();
    for (int i = 0; i < 10; i++) {
      held.pass(SECOND_NS - TENTH_NS);
      service.peer.windowUpdate(0, 1);
      service.send();
    }
    assertEquals(0, service.pings());
  }

  @Test
  void pingsAServiceThatLeavesARequestWaitInSilenceForASecond() {
    replace(new HeldPool(100, 2, 1, HeldPool.MINUTE_NS));
    held.ask(GET);
    Service service = held.connectSettled();
    held.pass(SECOND_NS - TENTH_NS);
    assertEquals(0, service.pings());
    held.pass(TENTH_NS);
    assertEquals(1, service.pings());
    for (int i = 0; i < 10; i++) {
      held.pass(SECOND_NS);
      assertEquals(0, service.pings(), "it was asked on account of that request");
    }
    held.ask(GET);
    held.pass(SECOND_NS);
    assertEquals(1, service.pings());
  }

  @Test
  void replacesAServiceThatHasStoppedSecondsAfterARequestThatItLeavesWait() {
    Service service = connectWithStream();
    service.peer.headers(1, true, "grpc-status: 0");
    service.send();
    service.answersPings = false;
    held.pass(TimeUnit.MINUTES.toNanos(1));
    assertEquals(0, service.pings(), "nobody waits");
    held.ask(POST);
    HeldClient gone = held.ask(GET);
    held.pass(SECOND_NS - TENTH_NS);
    gone.request.clientGone(ErrorCode.CANCEL);
    held.pass(TENTH_NS);
    assertEquals(0, service.pings(), "it is the client that is waited for");
    held.ask(GET);
    held.pass(SECOND_NS);
    held.pass(5 * SECOND_NS - TENTH_NS);
    assertEquals(0, held.attempts());
    held.pass(TENTH_NS);
    assertEquals(1, held.attempts());
  }

  /** Its requests hang, and pings are used up. */
  @Test
  void asksAQuietServiceByItsSettingsWhenNoPingIsLeft() {
    Service service = connectWithStream();
    for (int i = 0; i < 2; i++) {
      askInVain();
      assertEquals(1, service.pings());
    }
    askInVain();
    assertEquals(0, service.pings());
    held.ask(GET);
    held.pass(10 * SECOND_NS);
    assertEquals(List.of("SETTINGS"), service.settings());
    service.peer.settingsAck();
    service.send();
    held.pass(6 * SECOND_NS);
    assertEquals(0, held.attempts(), "it is there");
    held.ask(GET);
    held.pass(SECOND_NS);
    assertEquals(List.of(), service.settings(), "every 10 s at most");
    held.ask(GET);
    held.pass(3 * SECOND_NS);
    assertEquals(List.of("SETTINGS"), service.settings());
    held.pass(5 * SECOND_NS);
    assertEquals(1, held.attempts(), "it has stopped");
  }

  @Test
  void pingsNoServiceForADeadlineOfLessThanASecond() {
    Service service = connectWithStream();
    for (int i = 0; i < 3; i++) {
      HeldClient client = held.ask(GET);
      held.pass(SECOND_NS - TENTH_NS);
      client.request.abort(RefusalReason.DEADLINE_EXCEEDED);
    }
    List<String> frames = service.peer.received();
    assertEquals(List.of(), frames.stream().filter(f -> f.startsWith("PING")).toList());
    assertEquals(0, held.attempts());
  }

  @Test
  void pingsAServiceForALongerDeadlineOfAClients() {
    Service service = connectWithStream();
    HeldClient client = held.ask(GET);
    held.pass(SECOND_NS);
    client.request.abort(RefusalReason.DEADLINE_EXCEEDED);
    assertEquals(1, service.pings());
  }

  @Test
  void pingsTwiceUntilTheServiceAnswersARequestAndThenEveryFiveMinutes() {
    Service service = connectWithStream();
    for (int i = 0; i < 2; i++) {
      askInVain();
      assertEquals(1, service.pings());
    }
    askInVain();
    assertEquals(0, service.pings());
    service.peer.windowUpdate(0, 1);
    service.send();
    held.pass(TimeUnit.MINUTES.toNanos(5));
    askInVain();
    assertEquals(1, service.pings());
    askInVain();
    assertEquals(0, service.pings());
    service.peer.data(1, false, "abcde");
    service.send();
    askInVain();
    assertEquals(1, service.pings());
    assertEquals(0, held.attempts());
  }

  @Test
  void replacesAConnectionThatDoesNotAnswerAPing() {
    Service service = connectWithStream();
    service.answersPings = false;
    askInVain();
    held.pass(5 * SECOND_NS - TENTH_NS);
    assertEquals(0, held.attempts());
    held.pass(TENTH_NS);
    assertEquals(1, held.attempts());
    service.streams();
    HeldClient next = held.ask(GET);
    Service other = held.connectSettled();
    assertEquals(1, other.streams().size());
    assertEquals(List.of(), service.streams());
    assertEquals(List.of(), next.told());
    service.peer.headers(1, true, "grpc-status: 0");
    service.send();
    assertFalse(service.channel.isOpen(), "its last stream has ended");
  }

  @Test
  void keepsAConnectionThatAnswersItsPing() {
    Service service = connectWithStream();
    askInVain();
    assertEquals(1, service.pings());
    held.pass(5 * SECOND_NS);
    assertEquals(0, held.attempts());
    assertTrue(service.channel.isOpen());
  }

  @Test
  void replacesAConnectionWhereASecondDeadlinePassesInTheSameSilence() {
    Service service = connectWithStream();
    service.answersPings = false;
    held.ask(GET);
    held.pass(SECOND_NS);
    held.ask(GET);
    held.pass(SECOND_NS);
    assertEquals(0, held.attempts());
    held.pass(SECOND_NS);
    assertEquals(1, held.attempts());
  }

  /** What a client knows to hang, it can ask for many times. */
  @Test
  void keepsAConnectionWhereTwoDeadlinesPassAtOnce() {
    Service service = connectWithStream();
    held.ask(GET);
    held.ask(GET);
    held.pass(RESPONSE_NS);
    assertEquals(1, service.pings());
    held.ask(GET);
    held.pass(RESPONSE_NS);
    assertEquals(1, service.pings());
    assertEquals(0, held.attempts());
  }

  @Test
  void keepsAConnectionThatHasAnsweredAllThePingsThatThereMayBe() {
    Service service = connectWithStream();
    int pings = 0;
    for (int i = 0; i < 6; i++) {
      askInVain();
      pings += service.pings();
    }
    assertEquals(2, pings);
    assertEquals(0, held.attempts());
  }

  @Test
  void replacesAConnectionThatRefusesThreeStreamsInASecond() {
    Service service = connectWithStream();
    for (int i = 0; i < 3; i++) {
      held.ask(GET);
    }
    service.peer.reset(3, ErrorCode.REFUSED_STREAM).reset(5, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals(0, held.attempts());
    service.peer.reset(7, ErrorCode.REFUSED_STREAM);
    service.send();
    assertEquals(1, held.attempts());
    service.streams();
    Service other = held.connectSettled();
    assertEquals(1, other.streams().size());
    held.ask(GET);
    assertEquals(1, other.streams().size());
    assertEquals(List.of(), service.streams());
    assertTrue(service.channel.isOpen(), "its streams go on");
  }

  @Test
  void keepsAConnectionThatRefusesNowAndThen() {
    Service service = connectWithStream();
    for (int i = 0; i < 4; i++) {
      HeldClient client = held.ask(GET);
      service.peer.reset(3 + 4 * i, ErrorCode.REFUSED_STREAM);
      service.send();
      client.request.clientGone(ErrorCode.CANCEL);
      held.pass(SECOND_NS / 2);
    }
    assertEquals(0, held.attempts());
  }

  /** It has said that it takes less, and may do so before it says so. */
  @Test
  void countsNoRefusalAboveWhatTheServiceAllows() {
    Service service = connectWithStream();
    for (int i = 0; i < 3; i++) {
      held.ask(GET);
    }
    service.peer.settings(Setting.MAX_CONCURRENT_STREAMS, 1);
    for (int id = 3; id <= 7; id += 2) {
      service.peer.reset(id, ErrorCode.REFUSED_STREAM);
    }
    service.send();
    held.connectSettled();
    service.peer.headers(1, true, "grpc-status: 0");
    service.send();
    assertTrue(service.channel.isOpen());
  }

  @Test
  void makesOneReplacementIn100Ms() {
    held.ask(GET);
    Service first = held.connectSettled();
    first.peer.goAway(1, ErrorCode.NO_ERROR);
    first.send();
    held.ask(GET);
    Service second = held.connectSettled();
    second.peer.goAway(1, ErrorCode.NO_ERROR);
    second.send();
    held.ask(GET);
    held.pass(TENTH_NS - 1);
    assertEquals(0, held.attempts());
    held.pass(1);
    assertEquals(1, held.attempts());
  }

  @Test
  void keepsAConnectionWhileAsManyAsThereMayBeEndAlready() {
    for (int i = 0; i < 2; i++) {
      Service service = connectWithStream();
      refuseThree(service);
      held.pass(TENTH_NS);
      assertEquals(1, held.attempts());
    }
    Service last = connectWithStream();
    refuseThree(last);
    held.pass(SECOND_NS);
    assertEquals(0, held.attempts());
    held.ask(GET);
    assertEquals(1, last.streams().size());
  }

  private void refuseThree(Service service) {
    for (int id = 3; id <= 7; id += 2) {
      HeldClient client = held.ask(GET);
      client.request.clientGone(ErrorCode.CANCEL);
    }
    for (int id = 9; id <= 13; id += 2) {
      held.ask(POST).data("x".repeat(ReplayBuffer.MAX_BODY_BYTES + 1), true);
      service.peer.reset(id, ErrorCode.REFUSED_STREAM);
    }
    service.send();
    service.streams();
  }

  @Test
  void replacesAConnectionThatDrainsAsTheServiceWastesIt() {
    replace(new HeldPool(100, 1));
    Service service = connectWithStream();
    for (int i = 0; i < 160; i++) {
      service.peer.settings();
    }
    service.send();
    service.streams();
    held.ask(GET);
    Service other = held.connectSettled();
    assertEquals(1, other.streams().size());
    assertEquals(List.of(), service.streams());
    assertTrue(service.channel.isOpen());
  }
}
