package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.proxy.api.ApiRoute;
import dev.weir.proxy.api.OpenApiDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The description of the API names what the API has, and nothing else. */
class OpenApiTest {
  private static final Pattern NAME = Pattern.compile("[{]([a-z]+)[}]");
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

  private final OpenApiDocument document;

  OpenApiTest() throws IOException {
    document = OpenApiDocument.read();
  }

  /** What both sides say of one operation. */
  private record Told(String role, Set<String> query, Set<String> path, String mediaType) {}

  private static Map<String, Told> routes() {
    Map<String, Told> told = new TreeMap<>();
    List<ApiRoute> routes =
        SidecarApi.resources(
            new ExplainPage(null, null, null), null, null, null, null, new SidecarFiles(), null);
    for (ApiRoute route : routes) {
      String path = route.path().replace("/}", "}");
      String name = route.method().name().toLowerCase(Locale.ROOT) + " " + path;
      Told before =
          told.put(
              name,
              new Told(
                  route.role().toString(),
                  new TreeSet<>(route.parameters()),
                  new TreeSet<>(
                      NAME.matcher(path).results().map(result -> result.group(1)).toList()),
                  route.maxBodyBytes() == 0 ? "" : route.mediaType()));
      assertEquals(null, before, name + " stands twice");
    }
    return told;
  }

  private Told told(JsonNode item, JsonNode operation) {
    Set<String> query = new TreeSet<>();
    Set<String> path = new TreeSet<>();
    for (JsonNode parameters : List.of(item.path("parameters"), operation.path("parameters"))) {
      for (JsonNode each : parameters) {
        JsonNode parameter = document.resolved(each);
        String name = parameter.path("name").asText();
        switch (parameter.path("in").asText()) {
          case "query" -> query.add(name);
          case "path" -> path.add(name);
          default -> assertEquals("header", parameter.path("in").asText(), name);
        }
      }
    }
    List<String> types = new ArrayList<>();
    operation.path("requestBody").path("content").fieldNames().forEachRemaining(types::add);
    String role = operation.at("/security/0/token/0").asText();
    assertEquals(role, operation.at("/security/1/certificate/0").asText());
    return new Told(role, query, path, String.join(",", types));
  }

  @Test
  void describesEachRouteAndNoOther() {
    Map<String, Told> described = new TreeMap<>();
    document
        .root()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        member -> {
                          if (METHODS.contains(member.getKey())) {
                            described.put(
                                member.getKey() + " " + path.getKey(),
                                told(path.getValue(), member.getValue()));
                          } else {
                            assertEquals("parameters", member.getKey());
                          }
                        }));
    assertEquals(routes(), described);
  }

  @Test
  void namesEachOperationOnceAndEachProblemThatAllHave() {
    Set<String> ids = new TreeSet<>();
    int count = 0;
    for (JsonNode path : document.root().path("paths")) {
      for (Map.Entry<String, JsonNode> operation : path.properties()) {
        if (METHODS.contains(operation.getKey())) {
          ids.add(operation.getValue().path("operationId").asText());
          count++;
          for (String status : List.of("400", "401", "403", "421", "429", "default")) {
            assertTrue(operation.getValue().path("responses").has(status), operation.toString());
          }
        }
      }
    }
    assertEquals(count, ids.size(), ids.toString());
  }

  @Test
  void hasExamplesThatFitTheirSchemas() {
    int count = examples(document.root(), "#");
    assertTrue(count > 50, "only " + count + " examples");
  }

  /** Checks those of one place and of all below it; returns how many there are. */
  private int examples(JsonNode node, String at) {
    int count = 0;
    if (node.has("schema") && node.has("example")) {
      check(node.get("schema"), node.get("example"), at);
      count++;
    }
    if (node.path("examples").isArray()) {
      for (JsonNode example : node.get("examples")) {
        check(node, example, at);
        count++;
      }
    }
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      count += examples(member.getValue(), at + "/" + member.getKey());
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      count += examples(node.get(i), at + "/" + i);
    }
    return count;
  }

  private void check(JsonNode schema, JsonNode example, String at) {
    assertEquals(Set.of(), document.faults(schema, example), at + ": " + example);
    if (schema.has("contentSchema")) { // of each line
      example
          .asText()
          .lines()
          .forEach(
              line -> {
                try {
                  check(schema.get("contentSchema"), OpenApiDocument.json(line), at);
                } catch (IOException noJson) {
                  throw new AssertionError(at, noJson);
                }
              });
    }
  }

  @Test
  void refersToNothingThatIsNotThereAndHasNothingThatIsNotUsed() {
    Set<String> used = new TreeSet<>();
    for (MatchResult ref :
        Pattern.compile("\"[$]ref\":\"#([^\"]*)\"")
            .matcher(document.root().toString())
            .results()
            .toList()) {
      assertFalse(document.root().at(ref.group(1)).isMissingNode(), ref.group(1));
      used.add(ref.group(1));
    }
    Map<String, Boolean> there = new HashMap<>();
    for (String kind : List.of("schemas", "parameters", "headers", "responses")) {
      document
          .root()
          .at("/components/" + kind)
          .fieldNames()
          .forEachRemaining(name -> there.put("/components/" + kind + "/" + name, true));
    }
    assertEquals(new TreeSet<>(there.keySet()), used);
  }
}
