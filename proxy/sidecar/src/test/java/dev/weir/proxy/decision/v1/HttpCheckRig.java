package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.ModelAdmission;
import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Checks by HTTP on one event loop, by one rule: two orders a year for each user. */
final class HttpCheckRig {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LoopMetrics metrics = new Metrics().newLoop();
  final ModelServer server = new ModelServer(1);
  private final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
  final DecisionRig rig = new DecisionRig();

  HttpCheckRig(Mode mode, boolean trusted, Function<AdmissionHandler, List<HttpEndpoint>> of) {
    RuleSpec rule =
        RuleSpec.builder("orders")
            .mode(mode)
            .onStoreFailure(mode == Mode.EXACT ? OnStoreFailure.CLOSED : null)
            .path(PathPattern.parse("/orders/**"))
            .methods(List.of("POST"))
            .onMissingKey(OnMissingKey.REFUSE)
            .limits(
                List.of(
                    new BudgetSpec.Builder()
                        .algorithm(Algorithm.FIXED_WINDOW)
                        .rate(Rate.parse("2/365d"))
                        .key(KeySpec.parse("header:x-user-id"))))
            .build();
    AdmissionHandler admission =
        ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, rule);
    rig.with(List.of(), of.apply(admission));
    rig.connect(new Peer(IpAddress.LOOPBACK, trusted));
  }

  /** Sends a request of HTTP/1.1, has the store answer, and returns all that was answered. */
  String ask(String firstLine, String body, String... fields) {
    send(firstLine, body, fields);
    while (server.pendingCount() > 0) {
      server.answer();
    }
    return written();
  }

  /** Sends a request of HTTP/1.1. */
  void send(String firstLine, String body, String... fields) {
    String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
    String lines = String.join("\r\n", fields) + (fields.length == 0 ? "" : "\r\n");
    String request = firstLine + " HTTP/1.1\r\nHost: weir\r\n" + length + lines + "\r\n" + body;
    rig.channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
    rig.channel.runPendingTasks();
  }

  String written() {
    rig.channel.runPendingTasks();
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = rig.channel.readOutbound(); out != null; out = rig.channel.readOutbound()) {
      text.append(out.toString(StandardCharsets.ISO_8859_1));
      out.release();
    }
    return text.toString();
  }

  void close() {
    rig.close();
    assertEquals(0, rig.open);
    store.close();
    tables.close();
  }
}
