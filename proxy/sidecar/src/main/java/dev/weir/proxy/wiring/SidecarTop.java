package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.TopKeys;
import dev.weir.proxy.admission.TopReport;
import dev.weir.proxy.api.ApiProblem;
import dev.weir.proxy.api.TopCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** The counts of keys of all event loops, each of which copies its own. */
final class SidecarTop implements TopCounts {
  /** How long an event loop may take to answer. */
  private static final long WAIT_MS = 1_000;

  private final SidecarLoops loops;

  SidecarTop(SidecarLoops loops) {
    this.loops = loops;
  }

  @Override
  public Map<String, Object> read(
      boolean byRefusals, String rule, int most, UnaryOperator<String> shown) throws ApiProblem {
    TopReport.By by = byRefusals ? TopReport.By.REFUSED : TopReport.By.REQUESTS;
    TopReport report = TopReport.of(counted(), by, rule, most);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", TimeUnit.NANOSECONDS.toSeconds(report.coversNs()));
    json.put("requests", report.requests());
    json.put("refused", report.refused());
    json.put("keys", report.rows().stream().map(row -> row(row, shown)).toList());
    return json;
  }

  private static Map<String, Object> row(TopReport.Row row, UnaryOperator<String> shown) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rule", row.rule());
    json.put("key", row.key());
    json.put("identity", row.isSomebody() ? shown.apply(row.identity()) : row.identity());
    json.put("requests", row.requests().count());
    json.put("requests_error", row.requests().error());
    json.put("refused", row.refused().count());
    json.put("refused_error", row.refused().error());
    return json;
  }

  private List<TopKeys.Counted> counted() throws ApiProblem {
    List<CompletableFuture<TopKeys.Counted>> asked = new ArrayList<>();
    for (SidecarLoops.Loop loop : loops.loops) {
      asked.add(
          CompletableFuture.supplyAsync(
              () -> loop.topKeys().copy(loop.parts().clock().tick()), loop.eventLoop()));
    }
    try {
      List<TopKeys.Counted> counted = new ArrayList<>();
      for (CompletableFuture<TopKeys.Counted> one : asked) {
        counted.add(one.get(WAIT_MS, TimeUnit.MILLISECONDS));
      }
      return counted;
    } catch (TimeoutException late) {
      throw new ApiProblem(503, "An event loop has not answered for " + WAIT_MS + " ms.");
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
      throw new ApiProblem(503, "The sidecar ends.");
    } catch (ExecutionException bug) {
      throw new IllegalStateException("an event loop could not copy its counts", bug);
    }
  }
}
