package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static dev.weir.proxy.upstream.h2.HeldPool.HEAD;
import static dev.weir.proxy.upstream.h2.HeldPool.POST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.HeldHttp1Pool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests to a service of which a handshake says what it speaks, and what they become. */
class AlpnOriginTest {
  private static final String NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

  private final HeldPool http2 = new HeldPool(100, 2);

  /** One connection, and one that waits for it. */
  private final HeldHttp1Pool http1 = new HeldHttp1Pool(1);

  private final AlpnOrigin origin = new AlpnOrigin(http2.pool, http1.pool);
  private final List<HeldClient> clients = new ArrayList<>();

  @BeforeEach
  void serve() {
    http2.serve(origin);
  }

  @AfterEach
  void end() {
    clients.forEach(client -> client.request.clientGone(RequestEnd.NO_CODE));
    http1.close();
    http2.close();
  }

  private HeldClient ask(String head) {
    clients.add(http2.ask(head));
    return clients.get(clients.size() - 1);
  }

  /** A service that agrees on HTTP/1.1 for the connection that was asked for first. */
  private HeldHttp1Pool.Service agreeOnHttp1() {
    HeldHttp1Pool.Service service = http1.service();
    http2.connectHttp1(service.channel, http1.addresses.current());
    return service;
  }

  private static void assertTold(HeldClient client, String... lines) {
    assertEquals(List.of(lines), client.told());
  }

  @Test
  void sendsHeadsOfHttp2ToAServiceThatAgreesOnIt() {
    HeldClient client = ask(GET);
    assertTrue(origin.multiplexes());
    HeldPool.Service service = http2.connectSettled();
    ask(GET);
    assertEquals(List.of(HEAD.formatted(1), HEAD.formatted(3)), service.streams());
    service.peer.headers(1, true, ":status: 204");
    service.send();
    assertTold(client, "head 204 alone", "data  end", "ended");
  }

  @Test
  void sendsHeadsOfHttp1ToAServiceThatAgreesOnThatAlone() {
    HeldClient client = ask(GET);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    assertTrue(service.got().startsWith("GET /a HTTP/1.1\r\n"));
    service.send(NO_CONTENT);
    assertTold(client, "head 204 alone", "data  end", "ended");
    assertFalse(origin.multiplexes());
    ask(GET);
    assertTrue(service.got().startsWith("GET /a HTTP/1.1\r\n"));
    assertEquals(0, http2.attempts());
  }

  @Test
  void framesContentAsTheProtocolThatIsAgreedOnDoes() {
    HeldClient first = ask(POST);
    first.data("hello", true);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    String got = service.got();
    assertTrue(got.contains("Transfer-Encoding: chunked\r\n"), got);
    assertTrue(got.endsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), got);
  }

  @Test
  void whoWaitsForAHandshakeHasAPlaceThenOrWaitsOrIsRefused() {
    HeldClient served = ask(GET);
    HeldClient waiting = ask(GET);
    HeldClient refused = ask(GET);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    assertTrue(service.got().startsWith("GET /a "));
    assertTold(served);
    assertTold(waiting);
    assertTold(refused, "refused UPSTREAM_BUSY");
    service.send(NO_CONTENT);
    http1.pass(1);
    assertTrue(service.got().startsWith("GET /a "), "the one that waited has the connection");
  }

  @Test
  void asksForHttp2AgainOnceTheLastConnectionOfHttp1HasEnded() {
    ask(GET);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    service.send(NO_CONTENT);
    service.end();
    HeldClient client = ask(GET);
    assertEquals(1, http2.attempts());
    HeldPool.Service other = http2.connectSettled();
    assertEquals(List.of(HEAD.formatted(1)), other.streams());
    assertTold(client);
    assertTrue(origin.multiplexes());
  }

  /** Written while HTTP/2 was agreed on, and sent when all that there is speaks HTTP/1.1. */
  @Test
  void neverSendsTheBytesOfOneProtocolAsAnother() {
    ask(GET);
    HeldPool.Service before = http2.connectSettled();
    http2.admission.late = true;
    HeldClient block = ask(GET);
    before.breakOff();
    http2.admission.decide(0, null);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    assertTold(block, "refused UPSTREAM_CLOSED");
    assertEquals("", service.got());
  }

  @Test
  void sendsWhatWasWrittenForBothWhileAllConnectionsOfHttp2AreFull() {
    ask(GET);
    http2.connectSettled(Setting.MAX_CONCURRENT_STREAMS, 1);
    ask(GET);
    assertTrue(agreeOnHttp1().got().startsWith("GET /a HTTP/1.1"));
  }

  @Test
  void forgetsWhoLeavesWhileTheHandshakeIsMade() {
    HeldClient client = ask(GET);
    client.request.clientGone(RequestEnd.NO_CODE);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    assertEquals("", service.got());
    ask(GET);
    assertTrue(service.got().startsWith("GET /a "), "the connection is kept for the next");
  }

  @Test
  void forgetsWhoLeavesWhileItWaitsForAConnectionOfHttp1() {
    ask(GET);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    service.got();
    HeldClient left = ask(GET);
    left.request.clientGone(RequestEnd.NO_CODE);
    service.send(NO_CONTENT);
    http1.pass(1);
    assertEquals("", service.got());
  }

  @Test
  void isFullAndScarceAsThePoolInUseIs() {
    ask(GET);
    assertFalse(origin.isFull(1, false));
    assertFalse(origin.isScarce());
    agreeOnHttp1();
    assertTrue(origin.isScarce(), "the one place is taken");
    assertFalse(origin.isFull(1, false), "one may wait");
    ask(GET);
    assertTrue(origin.isFull(1, false));
  }

  @Test
  void endsWhatIsIdleInBothPools() {
    ask(GET);
    HeldHttp1Pool.Service service = agreeOnHttp1();
    service.send(NO_CONTENT);
    origin.closeIdle();
    assertFalse(service.isConnected());
  }
}
