package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Rig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What settings add to all answers of Envoy's rate-limit service. */
class RateLimitAnswersTest {
  @TempDir private Path folder;

  @BeforeEach
  void write() throws Exception {
    String limits =
        """
        descriptors:
          - key: none
            rate_limit: {unit: year, requests_per_unit: 0, name: none}
          - key: some
            rate_limit: {unit: year, requests_per_unit: 9, name: some}
          - key: all
            rate_limit: {unlimited: true}
        """;
    Files.writeString(folder.resolve("a.yaml"), "domain: plain\n" + limits);
    Files.writeString(
        folder.resolve("b.yaml"), "domain: own\nweir: {headers: x-ratelimit}\n" + limits);
  }

  private Rig start(String... flags) throws Exception {
    String[] usual = {
      "--decision", "127.0.0.1:0", "--ratelimit-config", folder.toString(), "--admin", "127.0.0.1:0"
    };
    return Rig.patient(
        "auto", Stream.concat(Stream.of(usual), Stream.of(flags)).toArray(String[]::new));
  }

  private static HttpResponse<String> ask(Rig rig, String domain, String... keys) throws Exception {
    StringBuilder descriptors = new StringBuilder();
    for (String key : keys) {
      descriptors.append(descriptors.length() == 0 ? "" : ",");
      descriptors.append("{\"entries\":[{\"key\":\"").append(key).append("\"}]}");
    }
    String call = "{\"domain\":\"" + domain + "\",\"descriptors\":[" + descriptors + "]}";
    return send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.decisionPort() + "/json"))
            .POST(HttpRequest.BodyPublishers.ofString(call)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            request.version(HttpClient.Version.HTTP_1_1).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void addFieldsWhereAFileSaysNone() throws Exception {
    try (Rig rig = start("--ratelimit-headers", "draft06")) {
      String plain = ask(rig, "plain", "some").body();
      assertTrue(plain.contains("{\"key\":\"RateLimit-Remaining\",\"value\":\"8\"}"), plain);
      String own = ask(rig, "own", "some").body();
      assertTrue(own.contains("{\"key\":\"X-RateLimit-Remaining\",\"value\":\"8\"}"), own);
    }
  }

  @Test
  void letCallsPassThatAreOverTheirLimits() throws Exception {
    try (Rig rig = start("--ratelimit-shadow-mode", "true")) {
      HttpResponse<String> passed = ask(rig, "plain", "some", "none");
      assertEquals(200, passed.statusCode(), passed.body());
      assertTrue(passed.body().startsWith("{\"overallCode\":\"OK\""), passed.body());
      assertTrue(passed.body().contains("\"code\":\"OVER_LIMIT\""), passed.body());
      assertFalse(passed.body().contains("responseHeadersToAdd"), passed.body());
      String figures =
          send(HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + rig.adminPort() + "/metrics")))
              .body();
      assertTrue(figures.contains("\nratelimit_service_global_shadow_mode 1.0\n"), figures);
    }
  }

  @Test
  void refuseOnlyWhereAllLimitsAreOver() throws Exception {
    try (Rig rig = start("--ratelimit-quota-mode", "true")) {
      assertEquals(200, ask(rig, "plain", "some", "none").statusCode());
      assertEquals(200, ask(rig, "plain", "unknown", "none").statusCode());
      assertEquals(429, ask(rig, "plain", "all", "none").statusCode());
      assertEquals(429, ask(rig, "plain", "none").statusCode());
    }
  }
}
