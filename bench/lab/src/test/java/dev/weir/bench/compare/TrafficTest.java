package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.scenario.Protocol;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrafficTest {
  @ParameterizedTest
  @CsvSource({
    "HTTP1, 64, 64, 1",
    "HTTP2, 64, 4, 16",
    "HTTP2, 1, 1, 1",
    "HTTP2, 16, 1, 16",
    "HTTP2, 20, 2, 10"
  })
  void asManyRequestsAreInFlightOverEveryProtocol(
      Protocol protocol, int inFlight, int connections, int streams) {
    final Traffic traffic = new Traffic(protocol, 1, inFlight, Traffic.CLOSED);
    assertEquals(connections, traffic.connections());
    assertEquals(streams, traffic.streams());
  }
}
