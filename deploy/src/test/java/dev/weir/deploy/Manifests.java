package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFile;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Objects of Kubernetes, as they stand in a file of YAML. */
final class Manifests {
  private static final String SECRET = "0123456789abcdef0123456789abcdef\n";

  private interface Schema {
    void check(JsonElement object) throws IOException;
  }

  private static final Map<String, Schema> SCHEMAS =
      Map.of(
          "v1/ConfigMap", V1ConfigMap::validateJsonElement,
          "v1/Service", V1Service::validateJsonElement,
          "apps/v1/Deployment", V1Deployment::validateJsonElement,
          "policy/v1/PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement,
          // Of Prometheus's operator, whose schema is not at hand.
          "monitoring.coreos.com/v1/ServiceMonitor", object -> {});

  private final List<Map<?, ?>> objects = new ArrayList<>();

  private Manifests() {}

  static Manifests of(String yaml) {
    Manifests manifests = new Manifests();
    for (Object object : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
      if (object != null) {
        manifests.objects.add((Map<?, ?>) object);
      }
    }
    return manifests;
  }

  List<String> kinds() {
    return objects.stream().map(object -> (String) object.get("kind")).sorted().toList();
  }

  Map<?, ?> first() {
    return objects.get(0);
  }

  /** The only object of a kind. */
  Map<?, ?> only(String kind) {
    List<Map<?, ?>> found =
        objects.stream().filter(object -> object.get("kind").equals(kind)).toList();
    assertEquals(1, found.size(), kind);
    return found.get(0);
  }

  /** What stands at a path of names and indices: {@code spec.ports.0.port}. */
  static Object at(Object object, String path) {
    Object found = object;
    for (String step : path.split("\\.")) {
      found =
          found instanceof List<?> list
              ? list.get(Integer.parseInt(step))
              : ((Map<?, ?>) found).get(step);
      if (found == null) {
        throw new NoSuchElementException(path + ": no " + step);
      }
    }
    return found;
  }

  /** Its weir.yaml. */
  String settings() {
    return (String) ((Map<?, ?>) only("ConfigMap").get("data")).get("weir.yaml");
  }

  /** Every object is one that Kubernetes takes; the settings are ones that Weir takes. */
  void check() {
    for (Map<?, ?> object : objects) {
      String kind = object.get("apiVersion") + "/" + object.get("kind");
      assertTrue(SCHEMAS.containsKey(kind), kind);
      try {
        SCHEMAS.get(kind).check(new Gson().toJsonTree(object));
      } catch (IOException | RuntimeException fault) {
        throw new AssertionError(kind + ": " + fault.getMessage(), fault);
      }
    }
    checkSettings(settings());
  }

  /**
   * Weir takes them, without a warning. Secrets that are read at once are files of their own here.
   */
  static void checkSettings(String settings) {
    Faults faults = Faults.ofFile("weir.yaml");
    try {
      Path secret = Files.writeString(Files.createTempFile("weir-secret", ""), SECRET);
      try {
        String text =
            settings.replaceAll(
                "(password-file|hash-key-file|decision-tokens): .*", "$1: " + secret);
        assertNotNull(
            new SettingsFile().read(text.getBytes(StandardCharsets.UTF_8), faults),
            () -> faults + "\n" + text);
      } finally {
        Files.delete(secret);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertEquals(List.of(), faults.warnings());
  }
}
