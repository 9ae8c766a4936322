package dev.weir.proxy.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.path.NodePath;
import java.util.Iterator;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Holds a document against the JSON schema of settings, and says what it finds in our own words.
 */
final class SchemaCheck {
  private static final Map<String, String> TYPES =
      Map.of(
          "string", "a text",
          "integer", "a whole number",
          "boolean", "true or false",
          "array", "a list",
          "object", "a section of keys");

  private final Schema schema;
  private final JsonNode root;

  SchemaCheck() {
    schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(SettingsSchema.make().toString(), InputFormat.JSON);
    root = schema.getSchemaNode();
  }

  /** Reports what the schema refuses, except where something is already known to be wrong. */
  void check(YamlTree tree, Faults faults) {
    for (Error error : schema.validate(tree.json())) {
      String path = path(error.getInstanceLocation());
      switch (error.getKeyword()) {
        case "additionalProperties" -> {
          String key = inner(path, error.getProperty());
          add(faults, tree, key, "unknown key (expected: " + keys(error) + ")");
        }
        case "required" -> {
          String key = inner(path, error.getProperty());
          add(faults, tree, key, "missing (expected: " + description(error) + ")");
        }
        case "type" -> addWrongType(faults, tree, path, error);
        case "minItems", "maxItems" ->
            add(
                faults,
                tree,
                path,
                error.getInstanceNode().size()
                    + " items (expected: "
                    + (error.getKeyword().equals("minItems") ? "at least " : "at most ")
                    + error.getSchemaNode().asText()
                    + ")");
        default -> add(faults, tree, path, error.getMessage());
      }
    }
  }

  private static void add(Faults faults, YamlTree tree, String path, String problem) {
    if (!faults.isFaulty(path)) {
      faults.add(tree.line(path), path, problem);
    }
  }

  private void addWrongType(Faults faults, YamlTree tree, String path, Error error) {
    JsonNode instance = error.getInstanceNode();
    String value = tree.texts().get(path);
    if (value == null) {
      value = instance.isArray() ? "a list" : instance.isObject() ? "a section" : "nothing";
    } else if (instance.isTextual()) {
      value = "\"" + value + "\"";
    }
    StringJoiner expected = new StringJoiner(" or ");
    JsonNode wanted = error.getSchemaNode();
    if (wanted.isArray()) {
      wanted.forEach(type -> expected.add(TYPES.get(type.asText())));
    } else {
      expected.add(TYPES.get(wanted.asText()));
    }
    add(
        faults,
        tree,
        path,
        (value.isEmpty() ? value : Faults.printable(value)) + " (expected: " + expected + ")");
  }

  /** The keys that may stand beside an unknown one. */
  private String keys(Error error) {
    StringJoiner keys = new StringJoiner(", ", "one of ", "");
    Iterator<String> names = properties(error).fieldNames();
    names.forEachRemaining(keys::add);
    return keys.toString();
  }

  private String description(Error error) {
    return properties(error).path(error.getProperty()).path("description").asText();
  }

  /** The properties of the schema of the object that an error is about. */
  private JsonNode properties(Error error) {
    JsonNode node = root;
    NodePath path = error.getInstanceLocation();
    for (int i = 0; i < path.getNameCount(); i++) {
      node =
          path.getElement(i) instanceof Integer
              ? node.path("items")
              : node.path("properties").path(path.getName(i));
      if (node.has("$ref")) {
        node = root.at(node.get("$ref").asText().substring(1));
      }
    }
    return node.path("properties");
  }

  private static String path(NodePath location) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < location.getNameCount(); i++) {
      if (location.getElement(i) instanceof Integer index) {
        path.append('[').append(index).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(location.getName(i));
      }
    }
    return path.toString();
  }

  private static String inner(String path, String property) {
    return path.isEmpty() ? property : path + "." + property;
  }
}
