package dev.weir.proxy.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LeakRecorder;
import dev.weir.proxy.request.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and answers of HTTP/2 to a service of HTTP/1.1, frame by frame. */
class Http2ClientConnectionTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5";
  private static final String LIMIT =
      ", ratelimit-policy: \"held\";q=10;w=60, ratelimit: \"held\";r=9;t=6"
          + ", x-ratelimit-limit: 10, x-ratelimit-remaining: 9, x-ratelimit-reset: 6";

  private final HeldLoop held = new HeldLoop().connectHttp2();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
    assertEquals(0, held.loop.http2.connections().heldBytes());
  }

  @AfterAll
  static void findNoLeak() throws InterruptedException {
    LeakRecorder.assertNone();
  }

  private void assertReceived(String... frames) {
    assertEquals(List.of(frames), held.client.received());
  }

  @Test
  void carriesARequestToTheServiceAndItsAnswerBack() {
    held.client.request(1, true, "GET", "/a?b", "x-user: 7", "cookie: a=1", "cookie: b=2").send();
    HeldService.Call call = held.service.last();
    assertTrue(
        call.head()
            .startsWith("GET /a?b HTTP/1.1\r\nHost: test\r\nx-user: 7\r\nCookie: a=1; b=2\r\n"),
        call.head());
    assertEquals("end", call.end);
    assertReceived();
    call.answer(OK + "\r\nX-A: b\r\nConnection: keep-alive");
    call.send("hello", true);
    assertReceived(
        "HEADERS 1 :status: 200, x-a: b, content-length: 5, via: 1.1 weir" + LIMIT,
        "DATA 1 hello end");
    assertEquals(List.of("COMPLETE 200 0 5"), held.admission.ends);
    assertEquals(1, held.admission.charged);
  }

  @Test
  void answersARefusedRequestInItsTurn() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    held.client.request(1, true, "GET", "/a").send();
    List<String> frames = held.client.received();
    assertEquals(2, frames.size(), frames.toString());
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 429, date: "), frames.get(0));
    assertTrue(
        frames.get(0).contains(", content-type: application/problem+json, content-length: "),
        frames.get(0));
    assertTrue(frames.get(0).contains(", retry-after: 3, ratelimit-policy: "), frames.get(0));
    assertTrue(frames.get(1).endsWith("} end".replace("} ", "}\n ")), frames.get(1));
    assertEquals(0, held.admission.charged);
    assertEquals(0, held.service.calls.size());
  }
}
