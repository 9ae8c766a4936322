package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.request.Handshake;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes between what listeners and what connections to services use, without sockets. */
class HandshakeTest {
  private static final List<String> PROTOCOLS = List.of("http/1.1");
  private static final X509Bundle SERVER = TestCertificates.server("a.example");

  @TempDir private Path directory;

  @BeforeAll
  static void needBoringSsl() {
    assumeTrue(OpenSsl.isAvailable(), "BoringSSL does not load here");
  }

  private ServerTls server(X509Bundle certificate, X509Bundle clientAuthority) throws TlsFault {
    return new ServerTls(
        new ServerTlsSettings(
            List.of(TestCertificates.write(directory, "server", certificate)),
            clientAuthority == null ? null : authority("clients.crt", clientAuthority),
            clientAuthority == null ? ClientCertificate.OFF : ClientCertificate.REQUIRED),
        PROTOCOLS,
        Runnable::run);
  }

  private Path authority(String name, X509Bundle authority) {
    return TestCertificates.writeAuthority(directory, name, authority);
  }

  private UpstreamTls client(X509Bundle authority, String name) throws TlsFault {
    return new UpstreamTls(
        new UpstreamTlsSettings(authority("servers.crt", authority), null, name, false),
        "127.0.0.1",
        443,
        PROTOCOLS,
        Runnable::run);
  }

  @Test
  void tellsAStrangerThatItsAuthorityIsUnknown() throws Exception {
    X509Bundle stranger =
        TestCertificates.builder("CN=me").buildIssuedBy(TestCertificates.OTHER_AUTHORITY);
    assertAlert("unknown_ca", stranger);
  }

  @Test
  void tellsAClientThatItsCertificateHasExpired() throws Exception {
    Instant now = Instant.now();
    X509Bundle expired =
        TestCertificates.issued(
            TestCertificates.builder("CN=me")
                .notBefore(now.minus(Duration.ofDays(2)))
                .notAfter(now.minus(Duration.ofDays(1))));
    assertAlert("certificate_expired", expired);
  }

  private void assertAlert(String alert, X509Bundle shown) throws Exception {
    TlsClient client = new TlsClient(TestCertificates.AUTHORITY, shown);
    try (ServerTls server = server(SERVER, TestCertificates.AUTHORITY);
        Ends ends = new Ends(server, new SslHandler(client.engine("a.example")))) {
      assertEquals(Handshake.CERTIFICATE_REFUSED, HandshakeOutcome.of(ends.serverFault));
      assertSays(alert, ends.clientFault);
    }
  }

  @Test
  void tellsAServiceThatItsAuthorityIsUnknown() throws Exception {
    try (ServerTls server = server(SERVER, null);
        UpstreamTls client = client(TestCertificates.OTHER_AUTHORITY, "a.example");
        Ends ends = ends(server, client)) {
      assertEquals(Handshake.CERTIFICATE_REFUSED, HandshakeOutcome.of(ends.clientFault));
      assertSays("unknown_ca", ends.serverFault);
    }
  }

  @Test
  void tellsAServiceThatItsNameIsAnother() throws Exception {
    try (ServerTls server = server(SERVER, null);
        UpstreamTls client = client(TestCertificates.AUTHORITY, "b.example");
        Ends ends = ends(server, client)) {
      assertEquals(Handshake.CERTIFICATE_REFUSED, HandshakeOutcome.of(ends.clientFault));
      assertSays("bad_certificate", ends.serverFault);
    }
  }

  /** As BoringSSL writes it, in capitals and behind a version. */
  private static void assertSays(String alert, Throwable fault) {
    String all = "";
    for (Throwable each = fault; each != null; each = each.getCause()) {
      all += each + "\n";
    }
    assertTrue(all.toLowerCase(Locale.ROOT).contains(alert), all);
  }

  @Test
  void resumesASessionForNoLongerThanTheKeyOfItsTicketOpens() throws Exception {
    TlsClient client = new TlsClient(TestCertificates.AUTHORITY, null);
    try (ServerTls server = server(SERVER, null)) {
      long startNs = System.nanoTime();
      assertEquals(Handshake.FULL, handshake(server, client));
      assertEquals(Handshake.RESUMED, handshake(server, client));
      server.pass(startNs + TicketKeys.SEALING_NS);
      assertEquals(Handshake.RESUMED, handshake(server, client), "by the key before");
      server.pass(startNs + 2 * TicketKeys.SEALING_NS);
      server.pass(startNs + 3 * TicketKeys.SEALING_NS);
      assertEquals(Handshake.FULL, handshake(server, client));
      assertEquals(Handshake.RESUMED, handshake(server, client), "by the newest key");
    }
  }

  private static Handshake handshake(ServerTls server, TlsClient client) {
    try (Ends ends = new Ends(server, new SslHandler(client.engine("a.example")))) {
      ends.answer();
      assertNull(ends.clientFault);
      assertNull(ends.serverFault);
      return ends.outcome();
    }
  }

  private static Ends ends(ServerTls server, UpstreamTls client) {
    return new Ends(server, client.newHandler(ByteBufAllocator.DEFAULT));
  }

  /** Both ends of one connection. */
  private static final class Ends implements AutoCloseable {
    final EmbeddedChannel server = new EmbeddedChannel();
    final EmbeddedChannel client = new EmbeddedChannel();

    /** What the client is told by the server's alert, or finds itself; null if nothing. */
    Throwable clientFault;

    Throwable serverFault;

    Ends(ServerTls serverTls, SslHandler clientTls) {
      server.pipeline().addLast(serverTls.newHandler(server));
      client.pipeline().addLast(clientTls);
      passAll();
      serverFault = serverFault == null ? fault(server) : serverFault;
      clientFault = clientFault == null ? fault(client) : clientFault;
    }

    /** The server says something, and with it what it has to say behind the handshake. */
    void answer() {
      server.writeOutbound(Unpooled.wrappedBuffer(new byte[1]));
      passAll();
    }

    private void passAll() {
      while (pass(client, server) | pass(server, client)) {
        // Until both wait.
      }
    }

    private static Throwable fault(EmbeddedChannel end) {
      try {
        end.checkException();
        SslHandler handler = end.pipeline().get(SslHandler.class);
        return handler == null ? null : handler.handshakeFuture().cause();
      } catch (Exception failed) {
        return failed;
      }
    }

    private boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
      from.runPendingTasks();
      Object bytes = from.readOutbound();
      if (bytes == null) {
        return false;
      }
      try {
        to.writeInbound(bytes);
      } catch (Exception failed) {
        if (to == client && clientFault == null) {
          clientFault = failed;
        } else if (to == server && serverFault == null) {
          serverFault = failed;
        }
      }
      return true;
    }

    Handshake outcome() {
      SslHandler handler = server.pipeline().get(SslHandler.class);
      assertTrue(handler.handshakeFuture().isSuccess(), "a handshake that has ended");
      return HandshakeOutcome.of(handler.engine(), 0);
    }

    @Override
    public void close() {
      for (Channel end : List.of(server, client)) {
        ((EmbeddedChannel) end).finishAndReleaseAll();
      }
    }
  }
}
