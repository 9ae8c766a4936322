package dev.weir.proxy.upstream;

import static dev.weir.proxy.upstream.HeldUpstream.GET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.ReportedCost;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Costs that are read from the responses of a service of HTTP/1.1. */
class UpstreamCostsTest {
  private static final String POST =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n";

  private final HeldHttp1Pool held = new HeldHttp1Pool();

  @AfterEach
  void end() {
    held.close();
    assertTrue(held.admission.holding.isEmpty(), "all was brought back");
  }

  /** Serves a request, each piece in a read of its own, and tells how it was settled. */
  private String settled(ReportedCost cost, String... pieces) {
    held.admission.costs = new ReportedCost[] {cost};
    HeldHttp1Pool.Service service = held.connect();
    held.ask(GET);
    for (String piece : pieces) {
      service.send(piece);
    }
    service.end();
    assertEquals(1, held.admission.settled.size());
    return held.admission.settled.remove(0).replaceFirst("^\\d+ ", "");
  }

  @ParameterizedTest
  @CsvSource({"401, 1", "403, 1", "200, 0", "500, 0"})
  void aStatusCostsOneUnitIfItIsListed(int status, int units) {
    ReportedCost cost = ReportedCost.ofStatus(List.of(401, 403), List.of(GrpcStatus.UNAVAILABLE));
    String head = "HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n\r\n";
    assertEquals("COMPLETE " + units, settled(cost, head));
    assertEquals("COMPLETE " + units, settled(cost, "HTTP/1.1 103 Hints\r\n\r\n", head));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X-Cost: 0~ | 0",
        "x-cost: 12~ | 12",
        "X-Cost:\t12 \t~ | 12",
        "X-Cost: 9007199254740992~ | 9007199254740992",
        "X-Cost: 9007199254740993~ | -",
        "X-Cost: 999999999999999999999~ | -",
        "X-Cost: -1~ | -",
        "X-Cost: +1~ | -",
        "X-Cost: 1.5~ | -",
        "X-Cost: 1e30~ | -",
        "X-Cost: 0x10~ | -",
        "X-Cost: rubbish~ | -",
        "X-Cost:~ | -",
        "X-Cost: 1, 2~ | -",
        "X-Cost: 1~X-Cost: 1~ | -",
        "X-Cost: 1~A: b~X-COST: 2~ | -",
        "X-Costs: 1~ | -",
        "A: b~ | -"
      })
  void aFieldCostsWhatItSaysIfThatIsOneWholeNumber(String fields, String units) {
    ReportedCost cost = ReportedCost.ofHeader(FieldName.of("x-cost"));
    String lines = fields.replace("~", "\r\n");
    String head = OK + "Content-Length: 0\r\n" + lines + "\r\n";
    assertEquals("COMPLETE " + units, settled(cost, head));
    ReportedCost trailer = ReportedCost.ofTrailer(FieldName.of("x-cost"));
    String body = CHUNKED + "\r\n2\r\nok\r\n0\r\n" + lines + "\r\n";
    assertEquals("COMPLETE " + units, settled(trailer, body));
    assertEquals("COMPLETE " + units, settled(trailer, body.split("(?<=.)")), "byte by byte");
    assertEquals("COMPLETE -", settled(trailer, head), "in the head it is no trailer");
    assertEquals("COMPLETE -", settled(cost, body), "in the trailers it is no header");
  }

  @Test
  void aServiceThatEndsWithoutItsTrailerReportsNothing() {
    ReportedCost cost = ReportedCost.ofTrailer(FieldName.of("x-cost"));
    assertEquals("COMPLETE -", settled(cost, CHUNKED + "\r\n2\r\nok\r\n0\r\n\r\n"));
    assertEquals("SERVICE_GONE -", settled(cost, CHUNKED + "\r\n2\r\nok\r\n0\r\nX-Cost: 5\r\n"));
    assertEquals("COMPLETE -", settled(cost, OK + "\r\nX-Cost: 5\r\n\r\n"));
  }

  @Test
  void bytesAreThoseOfTheContentRoundedUpToUnits() {
    ReportedCost cost = ReportedCost.ofResponseBytes(4);
    assertEquals("COMPLETE 0", settled(cost, OK + "Content-Length: 0\r\n\r\n"));
    assertEquals("COMPLETE 1", settled(cost, OK + "Content-Length: 4\r\n\r\nfour"));
    assertEquals("COMPLETE 2", settled(cost, OK + "Content-Length: 5\r\n\r\n", "f", "ive!"));
    assertEquals("COMPLETE 2", settled(cost, OK + "\r\nfive!"), "until the connection ends");
    assertEquals(
        "COMPLETE 2",
        settled(cost, CHUNKED + "\r\n1;ext=\"a long one\"\r\nf\r\n4\r\nive!\r\n0\r\nA: b\r\n\r\n"));
    assertEquals("SERVICE_GONE 1", settled(cost, OK + "Content-Length: 9\r\n\r\nf"));
  }

  @Test
  void bytesOfTheRequestAreThoseOfItsContent() {
    held.admission.costs = new ReportedCost[] {ReportedCost.ofRequestBytes(4)};
    HeldHttp1Pool.Service service = held.connect();
    HeldClient client = held.ask(POST);
    assertEquals(BodyForm.DATA, client.request.bodyForm());
    client.data("fi", false).data("ve!", true);
    assertTrue(service.got().endsWith("\r\n\r\n5\r\nfive!\r\n0\r\n\r\n"));
    service.send(OK + "Content-Length: 0\r\n\r\n");
    assertEquals(List.of("0 COMPLETE 2"), held.admission.settled);
  }

  @Test
  void aNumberIsReadAcrossChunksAndEvents() {
    ReportedCost cost = ReportedCost.ofBodyNumber("usage.total_tokens");
    String json = "{\"usage\":{\"total_tokens\":42}}";
    assertEquals("COMPLETE 42", settled(cost, OK + "Content-Length: 29\r\n\r\n", json));
    StringBuilder chunks = new StringBuilder(CHUNKED + "\r\n");
    for (char c : json.toCharArray()) {
      chunks.append("1\r\n").append(c).append("\r\n");
    }
    assertEquals("COMPLETE 42", settled(cost, chunks + "0\r\n\r\n"));
    String head = OK + "Content-Type: text/event-stream; charset=utf-8\r\n\r\n";
    String events =
        ": a \"comment\n\ndata: {\"usage\":null}\n\ndata: " + json + "\n\ndata: [DONE]\n\n";
    assertEquals("COMPLETE 42", settled(cost, head + events));
    assertEquals("COMPLETE 42", settled(cost, (head + events).split("(?<=.)")));
    assertEquals("SERVICE_GONE 42", settled(cost, OK + "Content-Length: 99\r\n\r\n" + json));
    assertEquals("SERVICE_GONE -", settled(cost, OK + "Content-Length: 99\r\n\r\n{\"usage\":{"));
  }

  @ParameterizedTest
  @CsvSource({"false, application/json", "true, text/event-stream"})
  void theTokensOfAModelServerAreReadInChunksOfAnySize(boolean isStreamed, String type) {
    ReportedCost cost = ReportedCost.ofBodyNumber("usage.total_tokens");
    String text = HeldUpstream.completion(isStreamed);
    for (int chunkBytes : new int[] {1, 7, 100, 4096}) {
      StringBuilder answer = new StringBuilder(CHUNKED + "Content-Type: " + type + "\r\n\r\n");
      for (int at = 0; at < text.length(); at += chunkBytes) {
        String chunk = text.substring(at, Math.min(text.length(), at + chunkBytes));
        answer.append(Integer.toHexString(chunk.length())).append("\r\n");
        answer.append(chunk).append("\r\n");
      }
      assertEquals("COMPLETE 900", settled(cost, answer + "0\r\n\r\n"));
    }
  }

  @Test
  void aNumberInEncodedContentIsNotRead() {
    ReportedCost cost = ReportedCost.ofBodyNumber("a");
    String body = "Content-Length: 7\r\n\r\n{\"a\":1}";
    assertEquals("COMPLETE 1", settled(cost, OK + "Content-Encoding: Identity\r\n" + body));
    assertEquals("COMPLETE -", settled(cost, OK + "Content-Encoding: gzip\r\n" + body));
    assertEquals("COMPLETE -", settled(cost, OK + "Content-Encoding: identity, br\r\n" + body));
  }

  /** The costs that one exchange reported are never another's. */
  @Test
  void eachExchangeHasCostsOfItsOwn() {
    ReportedCost cost = ReportedCost.ofBodyNumber("a");
    assertEquals("COMPLETE 1", settled(cost, OK + "Content-Length: 7\r\n\r\n{\"a\":1}"));
    assertEquals("COMPLETE -", settled(cost, OK + "Content-Length: 2\r\n\r\n{}"));
    assertEquals("SERVICE_GONE -", settled(cost, ""));
  }
}
