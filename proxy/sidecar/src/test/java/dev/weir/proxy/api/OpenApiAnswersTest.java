package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.proxy.rig.Rig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a running sidecar answers is what the description of its API says. */
class OpenApiAnswersTest {
  private static final String RULES =
      """
      rules:
        - id: api
          key: header:x-user-id
          tiers: {premium: 20/365d}
          limit: 9/365d
          ban: {after: 5/1m, for: [1h]}
      users: {identity: "header:x-user-id", tiers: [free, premium]}
      """;
  private static final String SET =
      "{\"rules\":[{\"id\":\"api\",\"key\":\"header:x-user-id\",\"limit\":\"9/365d\","
          + "\"tiers\":{\"premium\":\"20/365d\"},\"ban\":{\"after\":\"5/1m\",\"for\":[\"1h\"]}}],"
          + "\"users\":{\"identity\":\"header:x-user-id\",\"tiers\":[\"free\",\"premium\"]}}";
  private static final String OVERRIDE =
      "{\"until\":\"%s\",\"reason\":\"x\",\"factor\":2}"
          .formatted(Instant.now().plus(1, ChronoUnit.DAYS));

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<String> succeeded = new TreeSet<>();
  private OpenApiDocument document;
  private Rig rig;

  @BeforeEach
  void start() throws Exception {
    document = OpenApiDocument.read();
    Path candidate = folder.resolve("candidate.yaml");
    Files.writeString(candidate, "upstream: http://127.0.0.1:1\n" + RULES);
    Path tokens = folder.resolve("tokens");
    Files.writeString(tokens, "ada admin " + ApiRig.sha256(ApiRig.ADMIN) + "\n");
    rig =
        Rig.ofFile(
            "nio",
            "admin: 127.0.0.1:0\nadmin-tokens: %s\nrecords: {store: file, folder: %s}\nwhat-if: {file: %s}\n"
                    .formatted(tokens, folder.resolve("records"), candidate)
                + RULES);
  }

  @AfterEach
  void stop() throws IOException {
    rig.close();
  }

  /** Sends a request as the document has it, and checks the answer; returns its body. */
  private HttpResponse<String> send(
      int status, String operation, String target, String body, String... fields) throws Exception {
    String method = operation.substring(0, operation.indexOf(' '));
    String path = operation.substring(operation.indexOf(' ') + 1);
    JsonNode described = document.operation(path, method.toLowerCase(Locale.ROOT));
    assertTrue(described.isObject(), operation);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + rig.adminPort() + "/api/v1" + target))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + ApiRig.ADMIN);
    if (body != null) {
      String type = described.at("/requestBody/content").fieldNames().next();
      request.header("Content-Type", type);
    }
    if (fields.length > 0) {
      request.headers(fields);
    }
    HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
    assertEquals(status, answer.statusCode(), operation + ": " + answer.body());
    check(operation, described, answer);
    if (status < 300) {
      succeeded.add(operation);
    }
    return answer;
  }

  private void check(String operation, JsonNode described, HttpResponse<String> answer)
      throws IOException {
    JsonNode response =
        document.resolved(described.path("responses").path(Integer.toString(answer.statusCode())));
    assertTrue(response.isObject(), operation + ": " + answer.statusCode() + " is not described");
    if (!response.has("content")) {
      assertEquals("", answer.body(), operation);
      return;
    }
    Map.Entry<String, JsonNode> content = response.get("content").properties().iterator().next();
    assertEquals(content.getKey(), ApiRig.field(answer, "content-type"), operation);
    for (Map.Entry<String, JsonNode> field : response.path("headers").properties()) {
      boolean isAlways = document.resolved(field.getValue()).path("required").asBoolean();
      assertTrue(!isAlways || !ApiRig.field(answer, field.getKey()).isEmpty(), field.getKey());
    }
    JsonNode schema = content.getValue().get("schema");
    if (schema.has("contentSchema")) {
      for (String line : answer.body().lines().toList()) {
        assertFits(schema.get("contentSchema"), line, operation);
      }
    } else {
      assertFits(schema, answer.body(), operation);
    }
  }

  private void assertFits(JsonNode schema, String text, String operation) throws IOException {
    JsonNode value = OpenApiDocument.json(text);
    assertEquals(Set.of(), document.faults(schema, value), operation + ": " + text);
  }

  private static String etag(HttpResponse<String> answer) {
    return ApiRig.field(answer, "etag");
  }

  @Test
  void answersAsTheDocumentSays() throws Exception {
    api();
    rules();
    users();
    sidecars();
    Set<String> all = new TreeSet<>();
    document
        .root()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        name -> {
                          if (!name.equals("parameters")) {
                            all.add(name.toUpperCase(Locale.ROOT) + " " + path.getKey());
                          }
                        }));
    assertEquals(all, succeeded);
  }

  private void api() throws Exception {
    String name = "GET /openapi.json";
    HttpResponse<String> got = send(200, name, "/openapi.json", null);
    assertTrue(got.body().startsWith("{\n  \"openapi\": \"3.1.0\""), "no OpenAPI 3.1");
    send(304, name, "/openapi.json", null, "If-None-Match", etag(got));
    send(400, name, "/openapi.json?x=1", null);
    send(200, "GET /explain", "/explain?path=/a&header=x-user-id:7", null);
    send(400, "GET /explain", "/explain?from=here", null);
    send(200, "POST /explain", "/explain", "{\"path\":\"/a\",\"header\":[\"x-user-id: 7\"]}");
    send(422, "POST /explain", "/explain", "{\"from\":\"here\"}");
  }

  private void rules() throws Exception {
    send(404, "GET /rules", "/rules", null); // the settings are no file here
    String rule = "{\"id\":\"more\",\"limit\":\"5/1m\",\"match\":{\"path\":\"/more\"}}";
    send(409, "POST /rules", "/rules", rule);
    send(428, "PUT /rules", "/rules", SET);
    send(422, "PUT /rules", "/rules", "{\"rules\":[{\"id\":1}]}", "If-None-Match", "*");
    send(200, "PUT /rules", "/rules?dry-run&reason=x", SET, "If-None-Match", "*");
    send(200, "PUT /rules", "/rules?wait=9s", SET, "If-None-Match", "*");
    send(412, "PUT /rules", "/rules", SET, "If-None-Match", "*");
    HttpResponse<String> set = send(200, "GET /rules", "/rules", null);
    send(304, "GET /rules", "/rules", null, "If-None-Match", etag(set));
    send(201, "POST /rules", "/rules", rule);
    send(409, "POST /rules", "/rules", rule);
    HttpResponse<String> one = send(200, "GET /rules/{id}", "/rules/more", null);
    send(404, "GET /rules/{id}", "/rules/none", null);
    send(428, "DELETE /rules/{id}", "/rules/more", null);
    HttpResponse<String> put =
        send(
            200, "PUT /rules/{id}", "/rules/more", rule.replace("5/", "6/"), "If-Match", etag(one));
    send(412, "DELETE /rules/{id}", "/rules/more", null, "If-Match", etag(one));
    send(200, "DELETE /rules/{id}", "/rules/more", null, "If-Match", etag(put));
  }

  private void users() throws Exception {
    String user = "/users/{id}";
    send(404, "GET " + user, "/users/ann", null);
    send(201, "PUT " + user, "/users/ann", "{\"tier\":\"premium\"}", "If-None-Match", "*");
    send(422, "PUT " + user, "/users/ann", "{\"tier\":\"gold\"}", "If-None-Match", "*");
    HttpResponse<String> got = send(200, "GET " + user, "/users/ann", null);
    send(304, "GET " + user, "/users/ann", null, "If-None-Match", etag(got));
    send(200, "GET /users", "/users?tier=premium", null);
    send(400, "GET /users", "/users?has=wings", null);
    String etag = etag(got);
    for (String part : new String[] {"tier", "limits/api", "override"}) {
      String path = user + "/" + part.replace("api", "{name}");
      String value =
          part.equals("tier")
              ? "\"free\""
              : part.equals("override") ? OVERRIDE : "{\"limit\":\"50/365d\",\"burst\":9}";
      send(428, "PUT " + path, "/users/ann/" + part, value);
      int status = part.equals("tier") ? 200 : 201;
      etag = etag(send(status, "PUT " + path, "/users/ann/" + part, value, "If-Match", etag));
      send(200, "GET " + path, "/users/ann/" + part, null);
      if (part.equals("override")) {
        etag = etag(send(200, "POST " + path, "/users/ann/override", value));
      }
    }
    send(200, "GET " + user + "/limits", "/users/ann/limits", null);
    for (String part : new String[] {"tier", "limits/api", "override"}) {
      String path = "DELETE " + user + "/" + part.replace("api", "{name}");
      etag = etag(send(200, path, "/users/ann/" + part, null, "If-Match", etag));
      send(404, path, "/users/ann/" + part, null, "If-Match", etag);
    }
    send(412, "DELETE " + user, "/users/ann", null, "If-Match", etag(got));
    send(204, "DELETE " + user, "/users/ann", null, "If-Match", etag);
    send(204, "POST " + user + "/reset", "/users/ann/reset", "{\"limit\":\"api\"}");
    send(422, "POST " + user + "/reset", "/users/ann/reset", "{\"limit\":\"x\"}");
    send(204, "POST " + user + "/ban", "/users/ann/ban", "{\"for\":\"1h\"}");
    send(200, "GET " + user + "/limits", "/users/ann/limits", null);
    send(204, "DELETE " + user + "/ban", "/users/ann/ban", null);
    String lines =
        "{\"id\":\"bob\",\"record\":{\"tier\":\"free\"}}\n{\"id\":\"cat\"}\n"
            + "{\"id\":\"dan\",\"record\":null,\"if-match\":\"9-00000001\"}\n";
    send(200, "POST /users:batch", "/users:batch", lines);
  }

  private void sidecars() throws Exception {
    send(200, "GET /sidecars", "/sidecars", null);
    send(200, "GET /audit", "/audit?most=100", null);
    send(400, "GET /audit", "/audit?from=now", null);
    send(200, "GET /audit:export", "/audit:export?author=ada", null);
    send(200, "GET /top", "/top?by=refused&rule=api&most=5", null);
    send(400, "GET /top", "/top?by=size", null);
    send(200, "POST /reload", "/reload", null);
    send(200, "GET /what-if", "/what-if", null);
    send(200, "POST /what-if", "/what-if?sample=50%25", SET);
    send(422, "POST /what-if", "/what-if", "{");
    send(204, "DELETE /what-if", "/what-if", null);
    HttpResponse<String> set = send(200, "GET /rules", "/rules", null);
    send(200, "DELETE /rules", "/rules", null, "If-Match", etag(set));
  }
}
