package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Clients of HTTP/2 that make Weir break off exchanges with the service, without a reset of their
 * own: each counts as one. Past the budget their connection takes no more streams.
 */
class Http2BrokenOffTest {
  private static final int BUDGET = 200;
  private static final int ASKED = 600;
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final HeldLoop held = new HeldLoop().connectHttp2();
  private final List<String> received = new ArrayList<>();

  @BeforeEach
  void stream() {
    held.service.multiplexes = true;
  }

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.http2.heldBytes());
  }

  /** Asks again and again, and returns how often the service heard of it. */
  private int forwarded(int streams, IntConsumer ask) {
    int before = held.service.calls.size();
    for (int i = 0; i < streams; i++) {
      ask.accept(2 * i + 1);
      received.addAll(held.client.received());
    }
    return held.service.calls.size() - before;
  }

  private void assertIsDrained(int forwarded) {
    assertTrue(forwarded >= BUDGET, forwarded + " are within the budget");
    assertTrue(forwarded <= BUDGET + 1, forwarded + " are past the budget");
    String highest = "GOAWAY " + (2 * forwarded - 1) + " NO_ERROR";
    assertTrue(received.stream().anyMatch(frame -> frame.startsWith(highest)), highest);
    assertFalse(received.toString().contains("ENHANCE_YOUR_CALM"));
  }

  private void post(int stream, String... fields) {
    held.client.request(stream, false, "POST", "/a.B/C", fields);
  }

  private void call(int stream, String timeout) {
    post(stream, "content-type: application/grpc", "grpc-timeout: " + timeout);
  }

  private String lastEnd() {
    return held.service.last().end;
  }

  @Test
  void trailersThatAreTooLargeCountAsResets() {
    String[] fields = new String[101];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = "x: " + i;
    }
    assertIsDrained(
        forwarded(
            ASKED,
            stream -> {
              post(stream);
              held.client.headers(stream, true, fields).send();
            }));
    assertEquals("reset REFUSED_HERE", held.service.calls.get(0).end);
  }

  /** A hundred at a time, as the time is over for all of them at once. */
  @Test
  void deadlinesThatAreOverCountAsResets() {
    int forwarded =
        forwarded(
            ASKED,
            stream -> {
              call(stream, "6m");
              held.client.data(stream, true, "\0\0\0\0\0").send();
              if (stream % 200 == 199) {
                held.pass(60 * MS);
              }
            });
    assertTrue(forwarded <= BUDGET + 100, forwarded + " are past the budget");
    assertEquals("endreset TIMED_OUT", held.service.calls.get(0).end);
  }

  @Test
  void clientsThatResetAtTheirDeadlinesAreTakenNoMoreStreamsOfAndKeepThoseTheyHave() {
    held.client.request(1, false, "POST", "/a.B/C").send();
    int forwarded =
        forwarded(
            ASKED,
            i -> {
              int stream = i + 2;
              call(stream, "6m");
              held.client.send();
              if (stream % 180 == 179) {
                held.pass(4 * MS);
                for (int late = Math.max(3, stream - 178); late <= stream; late += 2) {
                  held.client.reset(late, ErrorCode.CANCEL);
                }
                held.client.send();
              }
            });
    assertTrue(forwarded > BUDGET && forwarded <= BUDGET + 90, forwarded + " of a budget");
    assertFalse(received.toString().contains("ENHANCE_YOUR_CALM"));
    held.service.calls.get(0).answer("HTTP/1.1 200 OK\r\nContent-Length: 0");
    held.service.calls.get(0).send("", true);
    String answer = held.client.received().toString();
    assertTrue(answer.contains("HEADERS 1 :status: 200"), answer);
  }

  /** The client is known by the name that the ingress gives; it has a share of its own. */
  @Test
  void whatOneOfManyBehindAnIngressResetsDoesNotEndTheConnectionOfAll() {
    HeldLoop ingress = new HeldLoop().connectIngress();
    ingress.service.multiplexes = true;
    ingress.clientKey = 8;
    ingress.client.request(1, false, "POST", "/other").send();
    ingress.clientKey = 7;
    List<String> frames = new ArrayList<>();
    for (int stream = 3; stream < 3 + 2 * ASKED; stream += 2) {
      ingress.client.request(stream, true, "GET", "/").reset(stream, ErrorCode.CANCEL).send();
      frames.addAll(ingress.client.received());
    }
    assertEquals(ASKED + 1, ingress.service.calls.size());
    assertFalse(frames.toString().contains("GOAWAY"), frames::toString);
    assertTrue(ingress.channel.config().isAutoRead(), "others are read");
    ingress.service.calls.get(0).answer("HTTP/1.1 200 OK\r\nContent-Length: 0");
    ingress.service.calls.get(0).send("", true);
    String answer = ingress.client.received().toString();
    assertTrue(answer.contains("HEADERS 1 :status: 200"), answer);
    ingress.close();
  }

  @Test
  void answersThatEndBeforeTheirRequestsCountAsResets() {
    assertIsDrained(
        forwarded(
            ASKED,
            stream -> {
              post(stream);
              held.client.send();
              if (held.service.calls.size() > stream / 2) {
                held.service.last().answer("HTTP/1.1 404 Not Found\r\nContent-Length: 0");
                held.service.last().send("", true);
              }
            }));
  }

  @Test
  void messagesThatAreRefusedCountAsResets() {
    held.admission.countsMessages = true;
    assertIsDrained(
        forwarded(
            ASKED,
            stream -> {
              held.admission.refusal = null;
              post(stream);
              held.client.send();
              held.admission.refusal = RefusalReason.OVER_LIMIT;
              held.client.data(stream, true, "\0\0\0\0\0\0\0\0\0\0").send();
            }));
    assertEquals("reset REFUSED_HERE", held.service.calls.get(0).end);
  }

  @Test
  void callsThatHaveWaitedForASecondMayEndAtTheirDeadlines() {
    int forwarded =
        forwarded(
            ASKED,
            stream -> {
              call(stream, "1100m");
              held.client.send();
              if (stream % 200 == 199) {
                held.pass(1_200 * MS);
              }
            });
    assertEquals(ASKED, forwarded);
  }

  @Test
  void asManyCallsThatEndWellMakeUpForThoseThatDoNot() {
    int forwarded =
        forwarded(
            ASKED,
            stream -> {
              if (stream % 4 == 1) {
                post(stream);
                held.client.data(stream, true, "a").send();
                held.service.last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0");
                held.service.last().send("", true);
              } else {
                call(stream, "6m");
                held.client.send();
                held.pass(60 * MS);
                assertEquals("reset TIMED_OUT", lastEnd());
              }
            });
    assertEquals(ASKED, forwarded);
  }
}
