package dev.weir.proxy.records.redis;

import static dev.weir.proxy.records.redis.AwayServers.AWAY_NS;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;

class AwayServersTest {
  private static final SocketAddress ONE = InetSocketAddress.createUnresolved("one", 1);
  private static final SocketAddress OTHER = InetSocketAddress.createUnresolved("other", 1);

  private long nowNs = 7;
  private final AwayServers servers = new AwayServers(() -> nowNs);

  @Test
  void aServerThatHasNotAnsweredIsNotAskedForASecondAndThenByOne() {
    assertTrue(servers.mayAsk(ONE) && servers.mayAsk(ONE));
    servers.notAnswered(ONE);
    assertTrue(servers.mayAsk(OTHER), "the other one answers");
    nowNs += AWAY_NS - 1;
    assertFalse(servers.mayAsk(ONE));
    nowNs++;
    assertTrue(servers.mayAsk(ONE));
    assertFalse(servers.mayAsk(ONE), "one finds out");
    nowNs += AWAY_NS;
    assertTrue(servers.mayAsk(ONE), "who was to find out has told nothing");
    servers.answered(ONE);
    assertTrue(servers.mayAsk(ONE) && servers.mayAsk(ONE));
  }
}
