package dev.weir.proxy.downstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random clients and services: whatever they do, each holding is brought back once. {@code
 * -Dweir.exchanges} sets how many exchanges begin at least.
 */
class HoldingRandomTest {
  private static final int STEPS = 300;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int MAX_STREAMS = 40;

  private static final ReportedCost[] COSTS = {
    ReportedCost.ofHeader(FieldName.of("x-cost")),
    ReportedCost.ofTrailer(FieldName.of("x-cost")),
    ReportedCost.ofBodyNumber("a"),
    ReportedCost.ofResponseBytes(1),
    ReportedCost.ofRequestBytes(1)
  };

  private static final RefusalReason[] FAILURES = {
    RefusalReason.UPSTREAM_CLOSED,
    RefusalReason.UPSTREAM_TIMEOUT,
    RefusalReason.UPSTREAM_MALFORMED,
    RefusalReason.UPSTREAM_CONNECTION_REFUSED
  };

  private Random random;
  private HeldLoop held;
  private boolean isHttp2;
  private int streams;
  private int tickets;

  /** Calls that the service has not ended, and those of them whose head it has sent. */
  private final List<HeldService.Call> open = new ArrayList<>();

  private final List<HeldService.Call> answered = new ArrayList<>();
  private int seen;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bringsEachHoldingBackOnce(boolean overHttp2) {
    isHttp2 = overHttp2;
    int wanted = Integer.getInteger("weir.exchanges", 5_000);
    int settled = 0;
    int begun = 0;
    for (int seed = 0; begun < wanted; seed++) {
      run(seed);
      assertEquals(List.of(), List.copyOf(held.admission.holding), "seed " + seed);
      assertEquals(held.admission.asked, held.admission.ends.size(), "seed " + seed);
      begun += held.admission.asked;
      settled += held.admission.settled.size();
    }
    assertTrue(settled > begun / 4, settled + " of " + begun + " held something");
  }

  private void run(int seed) {
    random = new Random(seed);
    held = isHttp2 ? new HeldLoop().connectHttp2() : new HeldLoop().connect();
    held.admission.costs = COSTS;
    streams = 0;
    tickets = 0;
    seen = 0;
    open.clear();
    answered.clear();
    int steps = 1 + random.nextInt(STEPS);
    for (int i = 0; i < steps && held.channel.isOpen(); i++) {
      held.admission.late = random.nextInt(3) == 0;
      held.service.pending = random.nextInt(4) == 0 ? pending() : null;
      held.service.room = random.nextInt(5) == 0 ? 3 : Integer.MAX_VALUE;
      step();
      for (; seen < held.service.calls.size(); seen++) {
        open.add(held.service.calls.get(seen));
      }
    }
    held.close();
  }

  private Origin.Pending pending() {
    return random.nextBoolean() ? Origin.Pending.BUSY : Origin.Pending.CONNECTING;
  }

  private void step() {
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> client();
      case 4, 5 -> decide();
      case 6 -> {
        if (held.service.waiting() > 0) {
          if (random.nextBoolean()) {
            held.service.connect();
          } else {
            held.service.fail(FAILURES[random.nextInt(FAILURES.length)]);
          }
        }
      }
      case 7 -> {
        while (held.admission.waiting() > 0) {
          decide(); // none may be awaited for long
        }
        held.pass(random.nextInt(20) == 0 ? HeldLoop.BODY_NS : SECOND_NS);
      }
      default -> service();
    }
  }

  private void decide() {
    if (held.admission.waiting() > 0) {
      held.admission.decide(tickets++, random.nextInt(4) == 0 ? RefusalReason.OVER_LIMIT : null);
    }
  }

  private void client() {
    if (!isHttp2) {
      http1Client();
      return;
    }
    int stream = 2 * Math.max(0, streams - 1 - random.nextInt(5)) + 1;
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        if (streams < MAX_STREAMS) {
          String type = random.nextBoolean() ? "application/grpc" : "text/plain";
          held.client.request(
              2 * streams++ + 1, random.nextBoolean(), "POST", "/a", "content-type: " + type);
        }
      }
      case 3 -> held.client.data(stream, random.nextBoolean(), "some");
      case 4 -> held.client.headers(stream, true, "x-trailer: a");
      default -> held.client.reset(stream, ErrorCode.CANCEL);
    }
    if (streams > 0 && random.nextInt(3) > 0) {
      held.client.send();
    }
  }

  private void http1Client() {
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3, 4 -> held.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
      case 5, 6 -> held.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nsome");
      case 7 -> held.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nsome");
      case 8 ->
          held.send(
              "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  + "4\r\nsome\r\n0\r\n\r\n");
      case 9 -> held.send("more!");
      case 10 -> held.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4");
      default -> {
        if (random.nextInt(4) == 0) {
          held.channel.close();
        }
      }
    }
  }

  private void service() {
    open.removeIf(call -> call.end.contains("reset"));
    if (open.isEmpty()) {
      return;
    }
    HeldService.Call call = open.get(random.nextInt(open.size()));
    if (random.nextInt(8) == 0) {
      open.remove(call);
      call.breakOff(FAILURES[random.nextInt(FAILURES.length)], RequestEnd.NO_CODE);
      return;
    }
    if (!answered.contains(call)) {
      answered.add(call);
      call.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Cost: " + random.nextInt(5));
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> {
        open.remove(call);
        call.send("}", true);
      }
      case 1 -> {
        open.remove(call);
        call.trailers("X-Cost: 7\r\n");
      }
      default -> {
        call.send("{\"a\": " + random.nextInt(9), false);
        call.endTurn();
      }
    }
  }
}
