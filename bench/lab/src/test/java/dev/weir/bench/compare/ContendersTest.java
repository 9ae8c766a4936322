package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.proxy.loop.TransportKind;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContendersTest {
  /** Of nginx, HAProxy and Weir. */
  private static final String LIMIT =
      " rate=[^;]+| burst=[^;]+|expire \\S+|rate\\(\\w+\\)| gt \\d+|limit:? [0-9/]+\\w";

  private static final ServerCertificate CERTIFICATE =
      new ServerCertificate(
          Path.of("/certificates/certificate.pem"),
          Path.of("/certificates/key.pem"),
          Path.of("/certificates/both.pem"));

  private static String setUp(Contender contender, Outcome outcome, Wire wire) {
    return contender.setUp(
        new Site(outcome, wire, 1111, 2222, CERTIFICATE, Path.of("/there"), Cores.UNPINNED));
  }

  /** All of them, and a sidecar with more rules than fit into flags. */
  static Stream<Contender> all() {
    final WeirSidecar many = new WeirSidecar(TransportKind.EPOLL).withRules(10_000);
    return Stream.concat(Contenders.ALL.stream(), Stream.of(many));
  }

  @ParameterizedTest
  @MethodSource("all")
  void listensAndAsksOnLoopbackAlone(Contender contender) {
    final String setUp = setUp(contender, Outcome.PASS, Wire.HTTP1);
    assertTrue(setUp.contains("127.0.0.1:1111"), setUp);
    assertTrue(setUp.contains("127.0.0.1:2222"), setUp);
  }

  @ParameterizedTest
  @MethodSource("all")
  void onlyTheLimitTellsPassingFromRefusing(Contender contender) {
    final String pass = setUp(contender, Outcome.PASS, Wire.HTTP1);
    final String refuse = setUp(contender, Outcome.REFUSE, Wire.HTTP1);
    assertNotEquals(pass, refuse);
    assertEquals(pass.replaceAll(LIMIT, ""), refuse.replaceAll(LIMIT, ""));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nothingIsLeftToBeFilledIn(Contender contender) {
    for (Outcome outcome : Outcome.values()) {
      for (Wire wire : Wire.values()) {
        final String setUp = setUp(contender, outcome, wire);
        assertFalse(setUp.contains("<"), setUp);
      }
    }
  }

  @Test
  void aFolderMayHaveAnyName() {
    final Path folder = Path.of("/there/<port>-<listen>");
    final Site site =
        new Site(Outcome.PASS, Wire.HTTP2, 1111, 2222, CERTIFICATE, folder, Cores.UNPINNED);
    final String setUp = new Nginx().setUp(site);
    assertTrue(setUp.contains("pid " + folder + "/pid;"), setUp);
  }

  @Test
  void peersTakeHttp2WithPriorKnowledge() {
    assertTrue(setUp(new Nginx(), Outcome.PASS, Wire.HTTP2).contains("backlog=1024 http2;"));
    assertTrue(setUp(new HaProxy(), Outcome.PASS, Wire.HTTP2).contains(" proto h2\n"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void showTheCertificateWhereTheWireHasTls(Contender contender) {
    for (Wire wire : Wire.values()) {
      final String setUp = setUp(contender, Outcome.PASS, wire);
      assertEquals(wire.tls, setUp.contains("/certificates/"), setUp);
    }
  }

  @Test
  void askTheServiceOfCallsInHttp2() {
    assertTrue(setUp(new Nginx(), Outcome.PASS, Wire.GRPC).contains("grpc_pass grpc://service;"));
    assertTrue(
        setUp(new HaProxy(), Outcome.PASS, Wire.GRPC)
            .contains("127.0.0.1:2222 pool-purge-delay 60s proto h2"));
    assertTrue(
        setUp(Contenders.ALL.get(3), Outcome.PASS, Wire.GRPC).contains(" h2c://127.0.0.1:2222 "));
  }

  @Test
  void areFoundByTheirNames() {
    assertEquals(
        List.of("haproxy", "weir-epoll"),
        Contenders.of(List.of("weir-epoll", "haproxy"), null).stream()
            .map(Contender::name)
            .toList());
  }

  @Test
  void anEarlierVersionIsAPeerOnEachTransportThatIsChosen() {
    final List<Contender> chosen =
        Contenders.of(List.of("haproxy", "weir-epoll"), Path.of("/earlier"));
    assertEquals(
        List.of("haproxy", "earlier-epoll", "weir-epoll"),
        chosen.stream().map(Contender::name).toList());
    assertEquals(List.of(true, true, false), chosen.stream().map(Contender::isPeer).toList());
  }
}
