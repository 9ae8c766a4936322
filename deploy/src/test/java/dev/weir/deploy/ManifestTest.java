package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The manifests and the compose file, as they stand in deploy/. */
class ManifestTest {
  private static final String IMAGE = "weir:" + Repository.version();

  private static Manifests manifests(String name) {
    return Manifests.of(Repository.read(Repository.DEPLOY.resolve("kubernetes/" + name)));
  }

  private static Object weir(Manifests manifests) {
    Object pod = Manifests.at(manifests.only("Deployment"), "spec.template.spec");
    return Manifests.at(
        pod, ((Map<?, ?>) pod).containsKey("initContainers") ? "initContainers.0" : "containers.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sidecar.yaml", "standalone.yaml"})
  void isTakenByKubernetesAndItsSettingsByWeir(String name) {
    manifests(name).check();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sidecar.yaml", "standalone.yaml"})
  void probesAndServesOnPortsThatItsSettingsOpen(String name) {
    Manifests manifests = manifests(name);
    Object weir = weir(manifests);
    assertEquals(IMAGE, Manifests.at(weir, "image"));
    Set<?> names =
        ((List<?>) Manifests.at(weir, "ports"))
            .stream().map(port -> Manifests.at(port, "name")).collect(Collectors.toSet());
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      assertTrue(names.contains(Manifests.at(weir, probe + ".httpGet.port")), probe);
    }
    assertTrue(names.contains(Manifests.at(manifests.only("Service"), "spec.ports.0.targetPort")));
    assertTrue(manifests.settings().contains("listen: 0.0.0.0:8000"));
    assertTrue(manifests.settings().contains("monitoring: 0.0.0.0:9091"));
  }

  @Test
  void aSidecarIsAnInitContainerThatGoesOn() {
    Object pod = Manifests.at(manifests("sidecar.yaml").only("Deployment"), "spec.template.spec");
    assertEquals("Always", Manifests.at(pod, "initContainers.0.restartPolicy"));
  }

  /** Or the check would be none. */
  @Test
  void aFieldThatKubernetesDoesNotKnowIsFound() {
    String wrong =
        Repository.read(Repository.DEPLOY.resolve("kubernetes/sidecar.yaml"))
            .replace("periodSeconds: 2", "periodSecond: 2");
    assertTrue(
        assertThrows(AssertionError.class, () -> Manifests.of(wrong).check())
            .getMessage()
            .contains("periodSecond"));
  }

  @Test
  void theComposeFileStartsWhatItNamesWithSettingsThatWeirTakes() {
    Manifests file = Manifests.of(compose("compose.yaml"));
    Map<?, ?> services = (Map<?, ?>) Manifests.at(file.first(), "services");
    assertEquals(Set.of("weir", "service", "redis"), services.keySet());
    Object weir = services.get("weir");
    assertEquals(IMAGE, Manifests.at(weir, "image"));
    assertTrue(services.keySet().containsAll((List<?>) Manifests.at(weir, "depends_on")));
    String settings = compose("weir/weir.yaml");
    Manifests.checkSettings(settings);
    for (Object name : (List<?>) Manifests.at(weir, "depends_on")) {
      assertTrue(settings.contains(name + ":"), settings);
    }
  }

  private static String compose(String name) {
    return Repository.read(Repository.DEPLOY.resolve("compose/" + name));
  }

  @Test
  void theSettingsOfTheDebianPackageAreTakenByWeir() {
    Manifests.checkSettings(
        Repository.read(Repository.DEPLOY.resolve("packages/debian/weir.yaml")));
  }
}
