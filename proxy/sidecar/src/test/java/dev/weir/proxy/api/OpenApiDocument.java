package dev.weir.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;

/** The description of the API, and its schemas, which here take no member that they do not name. */
public final class OpenApiDocument {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

  private final JsonNode root;

  private OpenApiDocument(JsonNode root) {
    this.root = root;
    close(root);
  }

  /** That of the program. */
  public static OpenApiDocument read() throws IOException {
    try (InputStream in = OpenApi.class.getResourceAsStream("openapi.json")) {
      return new OpenApiDocument(JSON.readTree(in));
    }
  }

  /** Clients take what they do not know; what the document forgets must fail a test. */
  private static void close(JsonNode node) {
    if (node instanceof ObjectNode schema
        && schema.path("properties").isObject()
        && schema.has("type")
        && !schema.has("additionalProperties")
        && !schema.has("unevaluatedProperties")) {
      schema.put("additionalProperties", false);
    }
    node.forEach(OpenApiDocument::close);
  }

  /** The whole document. */
  public JsonNode root() {
    return root;
  }

  /** The node that another refers to, or that other one. */
  public JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? root.at(node.get("$ref").asText().substring(1)) : node;
  }

  /** What is wrong with a value by a schema of the document; empty if it fits. */
  public Set<ValidationMessage> faults(JsonNode schema, JsonNode value) {
    ObjectNode whole = schema.deepCopy();
    whole.set("components", root.get("components"));
    return SCHEMAS.getSchema(whole).validate(value);
  }

  /** The operation of a path and a method, in small letters. */
  public JsonNode operation(String path, String method) {
    return root.path("paths").path(path).path(method);
  }

  public static JsonNode json(String text) throws IOException {
    return JSON.readTree(text);
  }
}
