package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.wiring.StartException;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of envoyproxy/ratelimit beside a store: one count for all sidecars. */
class RateLimitConfigIT {
  private static final String CALL =
      "{\"domain\":\"edge\",\"descriptors\":["
          + "{\"entries\":[{\"key\":\"user\",\"value\":\"ann\"}]},"
          + "{\"entries\":[{\"key\":\"all\",\"value\":\"x\"}]}]}";

  /** Takes nothing. */
  private static final String LOOK =
      "{\"domain\":\"edge\",\"descriptors\":[{\"hitsAddend\":0,\"entries\":["
          + "{\"key\":\"user\",\"value\":\"ann\"}]}]}";

  @TempDir private Path folder;

  private Rig start(String... flags) throws Exception {
    String[] usual = {"--decision", "127.0.0.1:0", "--ratelimit-config", folder.toString()};
    return Rig.patient(
        "auto", Stream.concat(Stream.of(usual), Stream.of(flags)).toArray(String[]::new));
  }

  /** Waits until the store decides: a busy machine may take longer than a start waits. */
  private static void awaitStore(Rig rig) throws Exception {
    Await.until("the store decides", () -> ask(rig, LOOK).statusCode() == 200);
  }

  private static HttpResponse<String> ask(Rig rig) throws Exception {
    return ask(rig, CALL);
  }

  private static HttpResponse<String> ask(Rig rig, String call) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.decisionPort() + "/json"))
            .version(HttpClient.Version.HTTP_1_1)
            .POST(HttpRequest.BodyPublishers.ofString(call))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void countsForAllSidecarsThatShareTheStore() throws Exception {
    Files.writeString(
        folder.resolve("edge.yaml"),
        """
        domain: edge
        descriptors:
          - key: user
            rate_limit: {unit: year, requests_per_unit: 3}
          - key: all
            rate_limit: {unit: year, requests_per_unit: 100}
        """);
    try (RedisServer redis = RedisKind.EMBEDDED.start()) {
      String[] flags = {"--redis.nodes", "127.0.0.1:" + redis.port(), "--redis.deadline", "1s"};
      try (Rig one = start(flags);
          Rig two = start(flags)) {
        awaitStore(one);
        awaitStore(two);
        assertEquals(200, ask(one).statusCode());
        assertEquals(200, ask(two).statusCode());
        assertEquals(200, ask(one).statusCode());
        HttpResponse<String> refused = ask(two);
        assertEquals(429, refused.statusCode(), refused.body());
        assertTrue(refused.body().contains("\"limitRemaining\":96"), refused.body());
      }
    }
  }

  @Test
  void doesNotStartWithAFileThatHasAFault() throws Exception {
    Files.writeString(folder.resolve("edge.yaml"), "domain: edge\ndescriptors:\n  - {kye: user}\n");
    StartException fault = assertThrows(StartException.class, this::start);
    assertTrue(
        fault.getMessage().contains("edge.yaml:3: descriptors[0].kye: unknown key"),
        fault.getMessage());
  }
}
