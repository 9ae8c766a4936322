package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.DescriptorCounters.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures of Envoy's rate-limit service, by the names of envoyproxy/ratelimit. */
class DescriptorCollectorTest {
  private static final String TIME = "ratelimit_service_response_time_seconds";

  @Test
  void exposesSumsOfAllLoopsUnderTheNamesOfTheField() {
    Metrics metrics = new Metrics();
    LoopMetrics one = metrics.newLoop();
    LoopMetrics two = metrics.newLoop();
    one.descriptorNames().add(1, List.of("d", "k_v")).of(one).add(Outcome.TOTAL_HITS, 3);
    two.descriptorNames().find(1).of(two).add(Outcome.TOTAL_HITS, 4);
    two.unnamed(List.of("d", "a", "b", "c")).add(Outcome.OVER_LIMIT, 5);
    one.responseTimes().record(50_000);
    one.responseTimes().record(50_001);
    two.responseTimes().record(7_000_000_000L);
    two.responseTimes().record(70_000_000_000L);
    String before = text(metrics);
    assertFalse(before.contains("ratelimit_service"), before);
    metrics.exposeDescriptors(() -> 9, () -> 1, () -> 2, () -> 5, () -> 3, () -> 4);
    String text = text(metrics);
    for (String line :
        List.of(
            "ratelimit_service_rate_limit_total_hits{domain=\"d\",key1=\"k_v\",key2=\"\"} 7.0",
            "ratelimit_service_rate_limit_over_limit"
                + "{domain=\"d\",key1=\"a\",key2=\"b\",key3=\"c\"} 5.0",
            "ratelimit_service_should_rate_limit_error{err_type=\"service_error\"} 1.0",
            "ratelimit_service_should_rate_limit_error{err_type=\"redis_error\"} 2.0",
            "ratelimit_service_rate_limit_domain_not_found 9.0",
            "ratelimit_service_global_shadow_mode 5.0",
            "ratelimit_service_total_requests{grpc_method=\"ShouldRateLimit\"} 4.0",
            TIME + "_bucket{grpc_method=\"ShouldRateLimit\",le=\"5.0E-5\"} 1",
            TIME + "_bucket{grpc_method=\"ShouldRateLimit\",le=\"1.0E-4\"} 2",
            TIME + "_bucket{grpc_method=\"ShouldRateLimit\",le=\"0.005\"} 2",
            TIME + "_bucket{grpc_method=\"ShouldRateLimit\",le=\"10.0\"} 3",
            TIME + "_bucket{grpc_method=\"ShouldRateLimit\",le=\"+Inf\"} 4",
            TIME + "_count{grpc_method=\"ShouldRateLimit\"} 4",
            TIME + "_sum{grpc_method=\"ShouldRateLimit\"} 77.000100001",
            "ratelimit_service_config_load_success 3.0",
            "ratelimit_service_config_load_error 4.0")) {
      assertTrue(text.contains("\n" + line + "\n"), line + " in " + text);
    }
  }

  private static String text(Metrics metrics) {
    return new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
  }
}
