package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.scenario.Protocol;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContendersTest {
  /** Of nginx, HAProxy and Weir. */
  private static final String LIMIT =
      " rate=[^;]+| burst=[^;]+|expire \\S+|rate\\(\\w+\\)| gt \\d+|--limit \\S+";

  private static String setUp(Contender contender, Outcome outcome, Protocol protocol) {
    return contender.setUp(
        new Site(outcome, protocol, 1111, 2222, Path.of("/there"), Cores.UNPINNED));
  }

  static Stream<Contender> all() {
    return Contenders.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("all")
  void listensAndAsksOnLoopbackAlone(Contender contender) {
    final String setUp = setUp(contender, Outcome.PASS, Protocol.HTTP1);
    assertTrue(setUp.contains("127.0.0.1:1111"), setUp);
    assertTrue(setUp.contains("127.0.0.1:2222"), setUp);
  }

  @ParameterizedTest
  @MethodSource("all")
  void onlyTheLimitTellsPassingFromRefusing(Contender contender) {
    final String pass = setUp(contender, Outcome.PASS, Protocol.HTTP1);
    final String refuse = setUp(contender, Outcome.REFUSE, Protocol.HTTP1);
    assertNotEquals(pass, refuse);
    assertEquals(pass.replaceAll(LIMIT, ""), refuse.replaceAll(LIMIT, ""));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nothingIsLeftToBeFilledIn(Contender contender) {
    for (Outcome outcome : Outcome.values()) {
      for (Protocol protocol : List.of(Protocol.HTTP1, Protocol.HTTP2)) {
        final String setUp = setUp(contender, outcome, protocol);
        assertFalse(setUp.contains("<"), setUp);
      }
    }
  }

  @Test
  void aFolderMayHaveAnyName() {
    final Path folder = Path.of("/there/<port>-<http2>");
    final Site site = new Site(Outcome.PASS, Protocol.HTTP2, 1111, 2222, folder, Cores.UNPINNED);
    final String setUp = new Nginx().setUp(site);
    assertTrue(setUp.contains("pid " + folder + "/pid;"), setUp);
  }

  @Test
  void peersTakeHttp2WithPriorKnowledge() {
    assertTrue(setUp(new Nginx(), Outcome.PASS, Protocol.HTTP2).contains("backlog=1024 http2;"));
    assertTrue(setUp(new HaProxy(), Outcome.PASS, Protocol.HTTP2).contains(" proto h2\n"));
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
