package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeySetUrlTest {
  private static final PublicJsonWebKey FIRST = TestTokens.key("Ed25519", "first");
  private static final PublicJsonWebKey NEXT = TestTokens.key("Ed25519", "next");

  private final TokenKeys keys = new TokenKeys();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile int status = 200;
  private volatile byte[] body = TestTokens.keySet(FIRST).getBytes(StandardCharsets.UTF_8);
  private HttpServer issuer;
  private long nowNs;
  private KeySetUrl source;

  @BeforeEach
  void start() throws IOException {
    issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    issuer.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          exchange.getResponseHeaders().set("Location", "/other");
          exchange.sendResponseHeaders(status, body.length);
          try (exchange) {
            exchange.getResponseBody().write(body);
          } catch (IOException leftAlone) {
            // who asked has read enough
          }
        });
    issuer.start();
    URI url = URI.create("http://127.0.0.1:" + issuer.getAddress().getPort() + "/jwks");
    source = new KeySetUrl(url, keys, () -> nowNs);
  }

  @AfterEach
  void stop() {
    source.close();
    issuer.stop(0);
  }

  private void lookAfter(long passedNs) {
    nowNs += passedNs;
    source.look();
  }

  private void answer(int newStatus, String newBody) {
    status = newStatus;
    body = newBody.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void fetchesTheSetAtOnceAndEveryFiveMinutes() {
    source.look();
    assertEquals(1, keys.count());
    int number = keys.inUse().keys().get(0).number();
    answer(200, TestTokens.keySet(FIRST, NEXT));
    lookAfter(KeySetUrl.REFRESH_NS - 1);
    assertEquals(1, asked.get());
    lookAfter(1);
    assertEquals(2, asked.get());
    assertEquals(2, keys.count());
    assertTrue(keys.inUse().contains(number));
    int version = keys.inUse().version();
    lookAfter(KeySetUrl.REFRESH_NS);
    assertEquals(3, asked.get());
    assertEquals(version, keys.inUse().version(), "the same keys change nothing");
  }

  @Test
  void asksAgainForAnUnknownKeyAfterTenSecondsOnly() {
    source.look();
    for (int i = 0; i < 1_000; i++) {
      keys.keyWanted();
      lookAfter(KeySetUrl.LEAST_NS / 1_000 - 1);
    }
    assertEquals(1, asked.get());
    lookAfter(1_000);
    assertEquals(2, asked.get());
    lookAfter(KeySetUrl.LEAST_NS);
    assertEquals(2, asked.get(), "nobody wants a key any more");
  }

  @Test
  void keepsTheLastGoodKeysAndAsksAgain() {
    source.look();
    for (String[] bad :
        new String[][] {
          {"500", ""}, {"404", ""}, {"302", ""}, {"200", ""}, {"200", "{\"keys\":[]}"}, {"200", "<"}
        }) {
      answer(Integer.parseInt(bad[0]), bad[1]);
      lookAfter(KeySetUrl.REFRESH_NS);
      assertEquals(1, keys.count());
      assertFalse(source.reloads().isLastTaken());
    }
    assertEquals(7, asked.get(), "and follows no redirect");
    issuer.stop(0);
    lookAfter(KeySetUrl.LEAST_NS);
    assertEquals(1, keys.count());
    assertFalse(source.reloads().isLastTaken());
  }

  @Test
  void isWellAgainWithTheSameKeys() {
    source.look();
    answer(500, "");
    lookAfter(KeySetUrl.REFRESH_NS);
    lookAfter(KeySetUrl.LEAST_NS - 1);
    assertEquals(2, asked.get());
    answer(200, TestTokens.keySet(FIRST));
    lookAfter(1);
    assertTrue(source.reloads().isLastTaken());
    lookAfter(KeySetUrl.LEAST_NS);
    assertEquals(3, asked.get());
  }

  @Test
  void takesNoSetThatIsTooLarge() {
    answer(200, TestTokens.keySet(FIRST) + " ".repeat(1 << 20));
    source.look();
    assertEquals(0, keys.count());
    assertFalse(source.reloads().isLastTaken());
  }

  @Test
  void readsTheSetAtOnceWhenAsked() {
    source.look();
    source.reload();
    source.look();
    assertEquals(2, asked.get());
  }

  /** Who shows a certificate that nobody trusts may be anybody. */
  @Test
  void takesNothingFromWhomTlsDoesNotVerify() throws IOException {
    HttpsServer stranger =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stranger.setHttpsConfigurator(
        new HttpsConfigurator(new SelfSignedCertificate().serverContext()));
    stranger.createContext("/", exchange -> asked.incrementAndGet());
    stranger.start();
    try {
      int port = stranger.getAddress().getPort();
      source = new KeySetUrl(URI.create("https://127.0.0.1:" + port), keys, () -> nowNs);
      source.look();
      assertEquals(0, asked.get());
      assertFalse(source.reloads().isLastTaken());
    } finally {
      stranger.stop(0);
    }
  }

  /** As any other fetch that fails: it counts, and a start does not wait for it. */
  @Test
  void anAddressThatCannotBeAskedIsAFaultOfTheSource() {
    source = new KeySetUrl(URI.create("http://127.0.0.1:99999/jwks"), keys, () -> nowNs);
    source.look();
    lookAfter(KeySetUrl.LEAST_NS);
    assertEquals(2, source.reloads().rejectedCount());
    assertFalse(source.reloads().isLastTaken());
  }

  @Test
  void aStartWaitsForTheFirstSet() {
    source.start();
    assertEquals(1, keys.count());
  }
}
