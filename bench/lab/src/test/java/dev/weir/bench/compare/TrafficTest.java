package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrafficTest {
  @ParameterizedTest
  @CsvSource({
    "HTTP1, 64, 64, 1, 64",
    "HTTP1, 8x64, 512, 1, 512",
    "HTTP2, 64, 4, 16, 4x16",
    "HTTP2, 1, 1, 1, 1x1",
    "HTTP2, 16, 1, 16, 1x16",
    "HTTP2, 20, 2, 10, 2x10",
    "GRPC, 8x64, 8, 64, 8x64",
    "GRPC, 8x1, 8, 1, 8x1",
    "RESUMED, 16, 16, 1, 16"
  })
  void asManyRequestsAreInFlightOverEveryWire(
      Wire wire, String shape, int connections, int streams, String text) {
    final Traffic traffic = Traffic.closed(wire, 1, Shape.parse(shape));
    assertEquals(connections, traffic.load().client().connections());
    assertEquals(streams, traffic.load().client().streams());
    assertEquals(text, traffic.inFlightText());
  }
}
