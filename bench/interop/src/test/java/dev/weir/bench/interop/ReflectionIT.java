package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client of Node.js that has no files of the services calls all of them by reflection alone. */
@Timeout(90)
class ReflectionIT {
  private static final List<String> SERVICES =
      List.of(
          "envoy.service.ratelimit.v3.RateLimitService: ShouldRateLimit",
          "grpc.health.v1.Health: Check Watch",
          "weir.v1.RateLimiter: CheckRateLimit CheckRateLimits GetRemainingQuota ResetLimit");

  private static final List<String> ANSWERS =
      List.of("\"limit_remaining\":", "\"status\":\"SERVING\"", "\"allowed\":true");

  @Test
  void grpcJsFindsEachServiceAndCallsIt(@TempDir Path limits) throws Exception {
    NodeScript.need("grpc-js-reflection-client");
    Files.writeString(
        limits.resolve("edge.yaml"),
        "domain: edge\ndescriptors: [{key: user, rate_limit: {unit: day, requests_per_unit: 9}}]\n");
    Map<String, String> flags =
        Map.of(
            "--decision", "127.0.0.1:0",
            "--ratelimit-config", limits.toString(),
            "--admin", "off",
            "--event-loops", "1",
            "--table.keys", "1000",
            "--key", "header:x-user-id",
            "--limit", "10/365d");
    try (Sidecar sidecar = Sidecar.start(SettingsFlags.read(flags, Faults.ofFlags()))) {
      int port = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
      String told = NodeScript.run("reflect.js", Integer.toString(port));
      List<String> lines = told.lines().toList();
      assertEquals(4 * SERVICES.size() + 2, lines.size(), told);
      assertTrue(lines.get(4 * SERVICES.size()).contains("\"allowed\":true"), told);
      assertEquals(
          "{\"base_type_name\":\"weir.v1.CheckRateLimitRequest\",\"extension_number\":[]}",
          lines.get(4 * SERVICES.size() + 1));
      for (int i = 0; i < 2 * SERVICES.size(); i++) {
        int service = i % SERVICES.size();
        String version = i < SERVICES.size() ? "v1 " : "v1alpha ";
        assertEquals(version + SERVICES.get(service), lines.get(2 * i));
        assertTrue(lines.get(2 * i + 1).contains(ANSWERS.get(service)), lines.get(2 * i + 1));
      }
    }
  }
}
