package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {
  private static final List<String> PROTOCOLS = List.of("h2", "http/1.1");

  @TempDir private Path directory;

  private ServerTlsSettings settings(CertificateFiles... files) {
    return new ServerTlsSettings(List.of(files), null, ClientCertificate.OFF);
  }

  private CertificateFiles write(String name, String... names) {
    return TestCertificates.write(directory, name, TestCertificates.server(names));
  }

  @Test
  void findsTheCertificateForAName() throws Exception {
    ServerCertificates certificates =
        new ServerCertificates(
            settings(
                write("a", "a.example"),
                write("b", "*.b.example", "b.example"),
                write("c", "x.b.example", "a.example")),
            PROTOCOLS,
            Instant.now());
    SslContext first = certificates.find(null);
    SslContext second = certificates.find("b.example");
    SslContext third = certificates.find("x.b.example");
    assertNotSame(first, second);
    assertNotSame(second, third);
    assertSame(first, certificates.find("a.example"), "the earlier of two with one name");
    assertSame(second, certificates.find("y.b.example"));
    assertSame(first, certificates.find("z.y.b.example"), "a wildcard is one label");
    assertSame(first, certificates.find("unknown"));
    certificates.release();
  }

  @Test
  void tellsAllFilesThatCannotBeUsed() {
    CertificateFiles good = write("a", "a.example");
    Path missing = directory.resolve("missing");
    TlsFault fault =
        assertThrows(
            TlsFault.class,
            () ->
                new ServerTls(
                    new ServerTlsSettings(
                        List.of(
                            new CertificateFiles(missing, good.key(), null),
                            good,
                            new CertificateFiles(good.chain(), good.chain(), null)),
                        good.key(),
                        ClientCertificate.REQUIRED),
                    PROTOCOLS,
                    Runnable::run));
    assertEquals(
        good.key()
            + ": no certificate in it (expected: PEM: -----BEGIN CERTIFICATE-----)\n"
            + missing
            + ": not found (expected: a file)\n"
            + good.chain()
            + ": no private key in it (expected: PEM: -----BEGIN PRIVATE KEY-----)",
        fault.getMessage());
  }

  @Test
  void hasNoSuiteThatHttp2Forbids() {
    assertTrue(Http2SecurityUtil.CIPHERS.containsAll(TlsContexts.CIPHERS));
  }

  @Test
  void takesAChangedPairOnceItIsWholeAndNoOther() throws Exception {
    CertificateFiles files = write("a", "a.example");
    List<Runnable> retired = new ArrayList<>();
    ServerTls tls = new ServerTls(settings(files), PROTOCOLS, retired::add);
    CertificateReload reload = new CertificateReload(List.of(tls));
    CertificateFiles next =
        TestCertificates.write(directory, "next", TestCertificates.server("next.example"));
    reload.poll();
    reload.poll();
    assertEquals(0, reload.reloads().takenCount(), "nothing has changed");

    Files.move(next.chain(), files.chain(), StandardCopyOption.REPLACE_EXISTING);
    reload.poll();
    assertEquals(0, reload.reloads().takenCount() + reload.reloads().rejectedCount(), "seen once");
    reload.poll();
    assertEquals(1, reload.reloads().rejectedCount(), "the key is that of the one before");
    reload.poll();
    reload.poll();
    assertEquals(1, reload.reloads().rejectedCount(), "told once");
    assertTrue(tls.toString().startsWith("[a.example]"), tls.toString());

    Files.move(next.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
    reload.poll();
    reload.poll();
    assertEquals(1, reload.reloads().takenCount());
    assertTrue(tls.toString().startsWith("[next.example]"), tls.toString());
    assertEquals(1, retired.size());
    retired.forEach(Runnable::run);
    tls.close();
  }

  /** Of several certificates, one is chosen by the hello: by then those before may be gone. */
  @Test
  void whoIsAcceptedBeforeAReloadAndSaysHelloAfterItGetsTheNewCertificate() throws Exception {
    CertificateFiles second = write("b", "b.example");
    ServerTls tls =
        new ServerTls(settings(write("a", "a.example"), second), PROTOCOLS, Runnable::run);
    EmbeddedChannel server = new EmbeddedChannel();
    server.pipeline().addLast(tls.newHandler(server));
    TestCertificates.write(directory, "b", TestCertificates.server("b.example", "new.example"));
    tls.reload();

    SslContext trusting =
        SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE).build();
    SslHandler hello = trusting.newHandler(server.alloc(), "b.example", 443);
    EmbeddedChannel client = new EmbeddedChannel(hello);
    for (int round = 0; round < 20 && !hello.handshakeFuture().isDone(); round++) {
      pass(client, server);
      pass(server, client);
    }
    assertTrue(hello.handshakeFuture().isSuccess(), "the handshake did not end well");
    X509Certificate shown = (X509Certificate) hello.engine().getSession().getPeerCertificates()[0];
    assertTrue(shown.getSubjectAlternativeNames().toString().contains("new.example"));
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
    tls.close();
  }

  private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
      to.writeInbound(sent);
    }
  }

  @Test
  void oneGoodListenerDoesNotHideAnothersRejectedFiles() throws Exception {
    CertificateFiles good = write("a", "a.example");
    CertificateFiles bad = write("b", "b.example");
    ServerTls first = new ServerTls(settings(good), PROTOCOLS, Runnable::run);
    ServerTls second = new ServerTls(settings(bad), PROTOCOLS, Runnable::run);
    CertificateReload reload = new CertificateReload(List.of(second, first));
    byte[] key = Files.readAllBytes(bad.key());
    Files.writeString(bad.key(), "no key");
    reload.reload();
    assertFalse(reload.reloads().isLastTaken());
    assertEquals(1, reload.reloads().takenCount());
    Files.write(bad.key(), key);
    reload.poll();
    reload.poll();
    assertTrue(reload.reloads().isLastTaken());
    first.close();
    second.close();
  }

  @Test
  void seesASymbolicLinkThatIsSwapped() throws Exception {
    Path first = Files.createDirectory(directory.resolve("1"));
    Path second = Files.createDirectory(directory.resolve("2"));
    TestCertificates.write(first, "tls", TestCertificates.server("first.example"));
    TestCertificates.write(second, "tls", TestCertificates.server("second.example"));
    Path data = Files.createSymbolicLink(directory.resolve("data"), first);
    ServerTls tls =
        new ServerTls(
            settings(new CertificateFiles(data.resolve("tls.crt"), data.resolve("tls.key"), null)),
            PROTOCOLS,
            Runnable::run);
    CertificateReload reload = new CertificateReload(List.of(tls));
    Path swapped = Files.createSymbolicLink(directory.resolve("data2"), second);
    Files.move(swapped, data, StandardCopyOption.ATOMIC_MOVE);
    reload.poll();
    reload.poll();
    assertTrue(tls.toString().startsWith("[second.example]"), tls.toString());
    tls.close();
  }
}
