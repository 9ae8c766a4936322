package dev.weir.proxy.upstream.h2;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.upstream.HeldUpstream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Costs that are read from the responses of a service of HTTP/2, and of gRPC. */
class Http2CostsTest {
  private static final ReportedCost TRAILER = ReportedCost.ofTrailer(FieldName.of("x-cost"));
  private static final ReportedCost STATUS =
      ReportedCost.ofStatus(List.of(401), List.of(GrpcStatus.UNAUTHENTICATED));
  private static final String GRPC = "content-type: application/grpc+proto";

  private final HeldPool held = new HeldPool(10, 1);
  private HeldPool.Service service;

  @AfterEach
  void end() {
    held.close();
    assertTrue(held.admission.holding.isEmpty(), "all was brought back");
  }

  private void begin(ReportedCost... costs) {
    held.admission.costs = costs;
    held.ask(GET);
    service = held.connectSettled();
  }

  private void assertSettled(String end) {
    service.send();
    assertEquals(List.of("0 " + end), held.admission.settled);
  }

  @ParameterizedTest
  @CsvSource({"12, 12", "-1, -", "1e30, -", "9007199254740993, -", "rubbish, -"})
  void aTrailerCostsWhatItSays(String value, String units) {
    begin(TRAILER, ReportedCost.ofHeader(FieldName.of("x-cost")));
    service.peer.headers(1, false, ":status: 200").data(1, false, "hello");
    service.peer.headers(1, true, "x-cost: " + value);
    assertSettled("COMPLETE " + units + " -");
  }

  @Test
  void aTrailerThatStandsTwiceReportsNothing() {
    begin(TRAILER);
    service.peer.headers(1, false, ":status: 200").headers(1, true, "x-cost: 1", "x-cost: 1");
    assertSettled("COMPLETE -");
  }

  @Test
  void aHeadThatEndsACallHasItsTrailers() {
    begin(TRAILER, STATUS, ReportedCost.ofResponseBytes(1));
    service.peer.headers(1, true, ":status: 200", GRPC, "grpc-status: 16", "x-cost: 3");
    assertSettled("COMPLETE 3 1 0");
  }

  @Test
  void aHeadThatEndsAnotherResponseHasNone() {
    begin(TRAILER, STATUS);
    service.peer.headers(1, true, ":status: 200", "grpc-status: 16", "x-cost: 3");
    assertSettled("COMPLETE - 0");
  }

  @ParameterizedTest
  @CsvSource({"16, 1", "0, 0", "99999999999, 0", "-1, -", "x, -"})
  void aCallHasItsStatusInItsTrailers(String status, String units) {
    begin(STATUS);
    service.peer.headers(1, false, ":status: 200", GRPC).data(1, false, "\0\0\0\0\0");
    service.peer.headers(1, true, "grpc-status: " + status);
    assertSettled("COMPLETE " + units);
  }

  @Test
  void aCallThatEndsWithoutItsStatusReportsNone() {
    begin(STATUS);
    service.peer.headers(1, false, ":status: 200", GRPC).data(1, true, "\0\0\0\0\0");
    assertSettled("COMPLETE -");
  }

  @Test
  void aCallThatIsResetReportsNoStatus() {
    begin(STATUS, ReportedCost.ofResponseBytes(1));
    service.peer.headers(1, false, ":status: 200", GRPC).data(1, false, "\0\0\0\0\0");
    service.peer.reset(1, ErrorCode.INTERNAL_ERROR);
    assertSettled("SERVICE_GONE - 5");
  }

  @Test
  void aCallHasAStatusOfHttpIfThatIsAllThatIsListed() {
    begin(ReportedCost.ofStatus(List.of(401), List.of()));
    service.peer.headers(1, false, ":status: 200", GRPC);
    service.peer.reset(1, ErrorCode.INTERNAL_ERROR);
    assertSettled("SERVICE_GONE 0");
  }

  @Test
  void paddingIsNoContent() {
    begin(ReportedCost.ofResponseBytes(1));
    service.peer.headers(1, false, ":status: 200").padded(1, false, "hello", 200);
    service.peer.padded(1, true, "!", 100);
    assertSettled("COMPLETE 6");
  }

  @ParameterizedTest
  @CsvSource({"false, application/json", "true, text/event-stream"})
  void theTokensOfAModelServerAreReadInFramesOfAnySize(boolean isStreamed, String type) {
    begin(ReportedCost.ofBodyNumber("usage.total_tokens"));
    service.peer.headers(1, false, ":status: 200", "content-type: " + type);
    for (String frame : HeldUpstream.completion(isStreamed).split("(?s)(?<=\\G.{13})")) {
      service.peer.data(1, false, frame);
    }
    service.peer.data(1, true, "");
    assertSettled("COMPLETE 900");
  }

  @Test
  void aNumberIsReadAcrossFrames() {
    begin(ReportedCost.ofBodyNumber("a.b"));
    service.peer.headers(1, false, ":status: 200");
    for (String piece : "{\"a\":{\"b\":17}}".split("(?<=.)")) {
      service.peer.data(1, false, piece);
    }
    service.peer.data(1, true, "");
    assertSettled("COMPLETE 17");
  }
}
