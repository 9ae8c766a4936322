package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The Helm chart, rendered by helm; skipped where there is none. */
class ChartTest {
  private static final Path CHART = Repository.DEPLOY.resolve("helm/weir");
  private static final Path CASES =
      Repository.DEPLOY.resolve("src/test/resources/dev/weir/deploy/chart");
  private static final Pattern VALUES_OF_A_PAGE =
      Pattern.compile("```yaml\\n(mode: .*?)```", Pattern.DOTALL);

  @TempDir private Path folder;
  private Program helm;

  @BeforeEach
  void find() {
    helm = Program.find("helm");
  }

  static List<Path> cases() throws IOException {
    try (Stream<Path> files = Files.list(CASES)) {
      return files.sorted().toList();
    }
  }

  static List<String> valuesOfThePage() {
    Matcher block =
        VALUES_OF_A_PAGE.matcher(Repository.read(Repository.ROOT.resolve("docs/kubernetes.md")));
    return block.results().map(found -> found.group(1)).toList();
  }

  private Program.Result template(Path chart, String... arguments) {
    List<String> all = new ArrayList<>(List.of("template", "shop", chart.toString()));
    all.addAll(Arrays.asList(arguments));
    return helm.run(all.toArray(new String[0]));
  }

  private Manifests rendered(String... arguments) {
    return Manifests.of(template(CHART, arguments).succeeded());
  }

  private Manifests renderedWith(String values) throws IOException {
    Path file = Files.writeString(folder.resolve("values.yaml"), values);
    return rendered("-f", file.toString());
  }

  private static Object pod(Manifests manifests) {
    return Manifests.at(manifests.only("Deployment"), "spec.template.spec");
  }

  @Test
  void hasNothingThatHelmWarnsOf() {
    String output = helm.run("lint", "--strict", CHART.toString()).succeeded();
    assertFalse(output.contains("[WARNING]"), output);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void rendersWhatKubernetesAndWeirTake(Path values) {
    rendered("-f", values.toString()).check();
  }

  @ParameterizedTest
  @MethodSource("valuesOfThePage")
  void rendersWhatTheManualShows(String values) throws IOException {
    renderedWith(values).check();
  }

  @Test
  void rendersItsDefaults() {
    Manifests manifests = rendered();
    manifests.check();
    assertEquals(
        List.of("ConfigMap", "Deployment", "PodDisruptionBudget", "Service"), manifests.kinds());
  }

  /** So that no value is there which nobody has rendered. */
  @Test
  void everyValueOfItsSchemaIsSetByACase() throws IOException {
    Set<String> unset = new TreeSet<>();
    namesOfSchema("", load(CHART.resolve("values.schema.json")), unset);
    unset.remove("global"); // Helm's
    for (Path values : cases()) {
      Set<String> set = new TreeSet<>();
      namesOfValues("", load(values), set);
      unset.removeAll(set);
    }
    assertEquals(Set.of(), unset);
  }

  private static Map<?, ?> load(Path file) {
    return (Map<?, ?>)
        new Load(LoadSettings.builder().build()).loadFromString(Repository.read(file));
  }

  private static void namesOfSchema(String path, Map<?, ?> schema, Set<String> names) {
    if (schema.get("$ref") instanceof String reference) {
      if (reference.endsWith("/secretKey")) {
        names.addAll(Set.of(path + ".name", path + ".key"));
        return;
      }
    }
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach(
          (name, inner) ->
              namesOfSchema(
                  path.isEmpty() ? (String) name : path + "." + name, (Map<?, ?>) inner, names));
    } else {
      names.add(path);
    }
  }

  private static void namesOfValues(String path, Map<?, ?> values, Set<String> names) {
    values.forEach(
        (name, value) -> {
          String full = path.isEmpty() ? (String) name : path + "." + name;
          names.add(full);
          if (value instanceof Map<?, ?> inner) {
            namesOfValues(full, inner, names);
          }
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mode=beside | /mode",
        "upstream=service:8080 | /upstream",
        "replicas=-1 | /replicas",
        "replica=3 | replica",
        "redis.enabled=true | /redis/nodes",
        "redis.topology=sentinel | /redis/sentinelMaster",
        "mode=sidecar | /containers",
        "service.port=0 | /service/port",
        "decision.port=8000 | /decision/port",
        "resources.limits.memory=lots | /resources/limits/memory",
        "settings.listen=127.0.0.1:1 | settings.listen: set by the chart",
        "settings.timeouts.drain=1s | settings.timeouts.drain: set by the chart",
        "settings.rules=a | settings.rules: not here"
      })
  void aWrongValueStopsHelmAndIsNamed(String value, String named) {
    Program.Result result = template(CHART, "--set", value);
    assertNotEquals(0, result.exitCode());
    assertTrue(
        result.output().contains(named)
            || result.output().contains(named.substring(1).replace('/', '.')),
        result.output());
  }

  @Test
  void aSidecarStartsBeforeItsServiceAndEndsAfterIt() {
    Manifests manifests = rendered("-f", CASES.resolve("sidecar.yaml").toString());
    Object pod = pod(manifests);
    assertEquals("weir", Manifests.at(pod, "initContainers.0.name"));
    assertEquals("Always", Manifests.at(pod, "initContainers.0.restartPolicy"));
    assertEquals("/readyz", Manifests.at(pod, "initContainers.0.startupProbe.httpGet.path"));
    assertEquals("shop", Manifests.at(pod, "containers.0.name"));
    assertTrue(manifests.settings().contains("drain-grace: 0s"), manifests.settings());
  }

  @Test
  void theServiceOfMonitoringHasThePortThatIsScraped() {
    Manifests manifests = rendered("--set", "serviceMonitor.enabled=true");
    Object endpoint = Manifests.at(manifests.only("ServiceMonitor"), "spec.endpoints.0");
    assertEquals("/metrics", Manifests.at(endpoint, "path"));
    List<?> ports = (List<?>) Manifests.at(manifests.only("Service"), "spec.ports");
    assertTrue(
        ports.stream()
            .anyMatch(port -> Manifests.at(port, "name").equals(Manifests.at(endpoint, "port"))));
  }

  /** Rules are taken over by the pods that run; all else needs new ones. */
  @Test
  void newRulesKeepThePodsAndNewSettingsDoNot() {
    Object before = annotations(rendered());
    assertEquals(before, annotations(rendered("--set", "rules[0].id=a,rules[0].limit=7/1s")));
    assertNotEquals(before, annotations(rendered("--set", "upstream=http://other:1")));
    assertNotEquals(before, annotations(rendered("--set", "settings.caps.connections=9")));
  }

  private static Object annotations(Manifests manifests) {
    return Manifests.at(manifests.only("Deployment"), "spec.template.metadata.annotations");
  }

  @Test
  void largeNumbersStayAsTheyAreWritten() throws IOException {
    Manifests manifests = renderedWith("settings: {table: {keys: 20000000}}\n");
    assertTrue(manifests.settings().contains("keys: 20000000\n"), manifests.settings());
    manifests.check();
  }

  @Test
  void aChartOfYoursIncludesTheSidecarInItsOwnPods() throws IOException {
    Path chart = folder.resolve("shop");
    Path inner = chart.resolve("charts/weir");
    try (Stream<Path> files = Files.walk(CHART)) {
      for (Path file : files.toList()) {
        Path copy = inner.resolve(CHART.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
    Files.createDirectories(chart.resolve("templates"));
    Files.writeString(chart.resolve("Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 1.0.0\n");
    Files.writeString(
        chart.resolve("values.yaml"),
        "weir: {mode: included, upstream: 'http://127.0.0.1:8080', tls: {secretName: shop-tls}}\n");
    Files.writeString(
        chart.resolve("templates/pods.yaml"),
        snippet(Repository.read(Repository.ROOT.resolve("docs/kubernetes.md"))));
    Manifests manifests = Manifests.of(template(chart).succeeded());
    manifests.check();
    assertEquals(List.of("ConfigMap", "Deployment"), manifests.kinds());
    assertEquals("weir", Manifests.at(pod(manifests), "initContainers.0.name"));
    assertEquals(
        Manifests.at(manifests.only("ConfigMap"), "metadata.name"),
        Manifests.at(pod(manifests), "volumes.0.configMap.name"));
    assertEquals("weir-tls", Manifests.at(pod(manifests), "volumes.1.name"));
  }

  /** The Deployment that the manual shows. */
  private static String snippet(String page) {
    Matcher block =
        Pattern.compile("```text\\n(apiVersion: apps/v1.*?)```", Pattern.DOTALL).matcher(page);
    assertTrue(block.find());
    return block.group(1);
  }

  @Test
  void hasTheVersionOfTheBuild() {
    Map<?, ?> chart = load(CHART.resolve("Chart.yaml"));
    assertEquals(Repository.version(), chart.get("version"));
    assertEquals(Repository.version(), chart.get("appVersion"));
  }
}
