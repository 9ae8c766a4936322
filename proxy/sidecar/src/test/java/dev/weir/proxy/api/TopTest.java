package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /top} of a sidecar, over sockets. */
@Timeout(60)
class TopTest {
  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private Rig rig;

  @BeforeEach
  void start() throws Exception {
    Path tokens = folder.resolve("tokens");
    Files.writeString(
        tokens,
        "vera viewer %s\neddy editor %s\n"
            .formatted(ApiRig.sha256(ApiRig.VIEWER), ApiRig.sha256(ApiRig.EDITOR)));
    rig =
        Rig.ofFile(
            Rig.preferredTransport(),
            """
            admin: 127.0.0.1:0
            admin-tokens: %s
            everywhere: [{name: all, limit: 100/365d, key: all}]
            rules:
              - {id: user, limit: 2/365d, key: header:x-user-id}
              - {id: secret, match: {path: /s}, limit: 9/365d, key: header:authorization}
            """
                .formatted(tokens));
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private HttpResponse<String> top(String token, String query) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + rig.adminPort() + "/api/v1/top" + query))
            .header("Authorization", "Bearer " + token)
            .build();
    return client.send(request, BodyHandlers.ofString());
  }

  private Map<?, ?> json(String token, String query) throws Exception {
    HttpResponse<String> answer = top(token, query);
    assertEquals(200, answer.statusCode(), answer.body());
    return (Map<?, ?>) JsonText.read(answer.body(), 1 << 20);
  }

  private List<?> keys(String token, String query) throws Exception {
    return (List<?>) json(token, query).get("keys");
  }

  private void ask(int times, String path, String field) throws Exception {
    try (RawClient user = rig.connect()) {
      for (int i = 0; i < times; i++) {
        user.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n").read();
      }
    }
  }

  private static Map<String, Object> row(
      String rule, String key, String identity, int requests, int refused) {
    return Map.of(
        "rule",
        rule,
        "key",
        key,
        "identity",
        identity,
        "requests",
        BigDecimal.valueOf(requests),
        "requests_error",
        BigDecimal.ZERO,
        "refused",
        BigDecimal.valueOf(refused),
        "refused_error",
        BigDecimal.ZERO);
  }

  @Test
  void listsKeysToWhoMaySeeThem() throws Exception {
    ask(5, "/", "X-User-Id: ann");
    ask(1, "/", "X-User-Id: b b");
    ask(1, "/s", "Authorization: Bearer x");
    Map<?, ?> all = json(ApiRig.EDITOR, "");
    assertEquals("requests", all.get("by"));
    assertEquals(BigDecimal.valueOf(14), all.get("requests"));
    assertEquals(BigDecimal.valueOf(3), all.get("refused"));
    List<?> keys = (List<?>) all.get("keys");
    assertEquals(row("everywhere", "all", "all", 7, 0), keys.get(0));
    assertEquals(row("user", "header:x-user-id", "ann", 5, 3), keys.get(1));
    assertTrue(keys.toString().contains("identity=#"), "a secret is hashed: " + keys);
    assertTrue(keys.toString().contains("identity=b%20b"), keys.toString());

    assertEquals(
        List.of(row("user", "header:x-user-id", "ann", 5, 3)),
        keys(ApiRig.EDITOR, "?by=refused&rule=user"));
    assertEquals(2, keys(ApiRig.EDITOR, "?most=2").size());
    assertEquals(List.of(), keys(ApiRig.EDITOR, "?rule=nobody"));

    Map<?, ?> seen = (Map<?, ?>) keys(ApiRig.VIEWER, "?by=refused").get(0);
    assertTrue(seen.get("identity").toString().matches("hidden:[0-9a-f]{16}"), seen.toString());
    assertEquals(
        "all", ((Map<?, ?>) keys(ApiRig.VIEWER, "").get(0)).get("identity"), "is nobody's");
    assertTrue(!top(ApiRig.VIEWER, "").body().contains("ann"), "hashed everywhere");
  }

  @Test
  void saysWhatItExpects() throws Exception {
    assertEquals(401, top("nobodys-token-0123456789", "").statusCode());
    HttpResponse<String> by = top(ApiRig.VIEWER, "?by=size");
    assertEquals(400, by.statusCode());
    assertTrue(by.body().contains("by: size (expected: requests or refused)"), by.body());
    assertEquals(400, top(ApiRig.VIEWER, "?most=101").statusCode());
    assertEquals(400, top(ApiRig.VIEWER, "?most=0").statusCode());
    assertEquals(400, top(ApiRig.VIEWER, "?sort=1").statusCode());
  }
}
