package dev.weir.bench.scenario;

import dev.weir.bench.scenario.ScenarioSettings.Setting;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a scenario's file, YAML:
 *
 * <pre>
 * targets: [http://127.0.0.1:8000/]
 * headers: {x-user-id: "{key}"}
 * keys: zipf:100000:1.1
 * load:
 *   - {rate: 1000, for: 30s}
 *   - {ramp: 1000..5000, for: 30s}
 * thresholds: [p99&lt;2ms, errors&lt;0.1%]
 * </pre>
 *
 * Every fault names line and column.
 */
final class ScenarioFile {
  private static final int MAX_BYTES = 1 << 20;
  private static final String STAGES = "load";
  private static final String THRESHOLDS = "thresholds";
  private static final String TARGETS = "targets";
  private static final String REQUESTS = "requests";

  private final Path file;
  private final ScenarioSettings settings;
  private final List<String> faults;

  private ScenarioFile(Path file, ScenarioSettings settings, List<String> faults) {
    this.file = file;
    this.settings = settings;
    this.faults = faults;
  }

  /**
   * Puts what a file says into {@code settings}, and what is wrong with it into {@code faults}.
   *
   * @throws BadScenarioException if it is no file of settings at all.
   */
  static void read(Path file, ScenarioSettings settings, List<String> faults)
      throws BadScenarioException {
    new ScenarioFile(file, settings, faults).read();
  }

  private void read() throws BadScenarioException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw bad(file + ": " + Files.size(file) + " bytes (expected: at most " + MAX_BYTES + ")");
      }
      // Refused here, with line and column.
      final LoadSettings load =
          LoadSettings.builder().setLabel(file.toString()).setAllowNonScalarKeys(true).build();
      final Optional<Node> root = new Compose(load).composeString(Files.readString(file));
      if (root.isEmpty()) {
        throw bad(file + ": empty (expected: a scenario)");
      }
      if (!(root.get() instanceof MappingNode mapping)) {
        throw bad(
            at(root.get().getStartMark())
                + "a list or a text (expected: NAME: VALUE on each line)");
      }
      readRoot(mapping);
    } catch (NoSuchFileException e) {
      throw bad(file + ": no such file (expected: a scenario)");
    } catch (CharacterCodingException e) {
      throw bad(file + ": not UTF-8 (expected: a text)");
    } catch (IOException e) {
      throw bad(file + ": " + e);
    } catch (MarkedYamlEngineException e) {
      throw bad(at(e.getProblemMark()) + e.getProblem() + " (expected: YAML)");
    } catch (YamlEngineException e) {
      throw bad(file + ": " + e.getMessage().lines().findFirst().orElse("") + " (expected: YAML)");
    }
  }

  private static BadScenarioException bad(String fault) {
    return new BadScenarioException(List.of(fault));
  }

  private void readRoot(MappingNode root) {
    final Set<String> seen = new HashSet<>();
    for (NodeTuple entry : root.getValue()) {
      final String name = name(entry.getKeyNode(), "", seen);
      final Node value = entry.getValueNode();
      switch (name == null ? "" : name) {
        case "" -> {
          // told already
        }
        case STAGES -> readStages(value);
        case THRESHOLDS -> items(value, name).forEach(settings.thresholds::add);
        case TARGETS -> items(value, name).forEach(settings.targets::add);
        case REQUESTS -> readRequests(value);
        case RequestSettings.HEADERS -> readHeaders(value, name, settings.common);
        default -> {
          if (ScenarioSettings.NAMES.contains(name)) {
            scalar(value, name).ifPresent(setting -> settings.set(name, setting));
          } else if (RequestSettings.NAMES.contains(name) && !name.equals("target")) {
            scalar(value, name).ifPresent(setting -> settings.common.set(name, setting));
          } else {
            unknown(entry.getKeyNode(), name, known());
          }
        }
      }
    }
  }

  private static Set<String> known() {
    final Set<String> known = new TreeSet<>(ScenarioSettings.NAMES);
    known.addAll(RequestSettings.NAMES);
    known.remove("target");
    known.addAll(List.of(STAGES, THRESHOLDS, TARGETS, REQUESTS, RequestSettings.HEADERS));
    return known;
  }

  /** Stages, each as a text or as a mapping, which is the same with other signs. */
  private void readStages(Node value) {
    for (Node item : sequence(value)) {
      if (!(item instanceof MappingNode mapping)) {
        scalar(item, STAGES).ifPresent(settings.stages::add);
        continue;
      }
      final List<String> parts = new ArrayList<>();
      for (NodeTuple part : mapping.getValue()) {
        parts.add(text(part.getKeyNode()) + "=" + text(part.getValueNode()));
      }
      settings.stages.add(new Setting(where(item, STAGES), String.join(",", parts)));
    }
  }

  /** A node's text; for what is no text, words that no stage takes, so that the stage says so. */
  private static String text(Node node) {
    return node instanceof ScalarNode scalar ? scalar.getValue() : "a list or a section";
  }

  private void readRequests(Node value) {
    int index = 0;
    for (Node item : sequence(value)) {
      final String path = REQUESTS + "[" + index++ + "]";
      final RequestSettings request = new RequestSettings(where(item, path));
      final Set<String> seen = new HashSet<>();
      final List<NodeTuple> entries =
          item instanceof MappingNode mapping ? mapping.getValue() : List.of();
      for (NodeTuple entry : entries) {
        final String name = name(entry.getKeyNode(), path, seen);
        if (name == null) {
          continue;
        }
        final String inner = path + "." + name;
        if (name.equals(RequestSettings.HEADERS)) {
          readHeaders(entry.getValueNode(), inner, request);
        } else if (RequestSettings.NAMES.contains(name)) {
          scalar(entry.getValueNode(), inner).ifPresent(setting -> request.set(name, setting));
        } else {
          final Set<String> known = new TreeSet<>(RequestSettings.NAMES);
          known.add(RequestSettings.HEADERS);
          unknown(entry.getKeyNode(), inner, known);
        }
      }
      settings.requests.add(request);
    }
  }

  /** Header fields, as a mapping or as a list of texts, in which a name may stand twice. */
  private void readHeaders(Node value, String path, RequestSettings request) {
    if (!(value instanceof MappingNode mapping)) {
      items(value, path).forEach(request::addHeader);
      return;
    }
    for (NodeTuple entry : mapping.getValue()) {
      if (entry.getKeyNode() instanceof ScalarNode name) {
        scalar(entry.getValueNode(), path + "." + name.getValue())
            .ifPresent(
                setting ->
                    request.addHeader(
                        new Setting(setting.where(), name.getValue() + ": " + setting.text())));
      } else {
        fault(entry.getKeyNode(), path, "a list or a section (expected: a field's name)");
      }
    }
  }

  private String name(Node key, String path, Set<String> seen) {
    if (!(key instanceof ScalarNode scalar)) {
      fault(key, path, "a list or a section (expected: a name)");
      return null;
    }
    if (!seen.add(scalar.getValue())) {
      fault(key, scalar.getValue(), "a second time (expected: once)");
      return null;
    }
    return scalar.getValue();
  }

  private void unknown(Node key, String path, Set<String> known) {
    fault(key, path, "unknown (expected: one of " + String.join(", ", known) + ")");
  }

  /** A list's items; a single value is a list of one. */
  private static List<Node> sequence(Node value) {
    return value instanceof SequenceNode sequence ? sequence.getValue() : List.of(value);
  }

  private List<Setting> items(Node value, String path) {
    final List<Setting> items = new ArrayList<>();
    int index = 0;
    for (Node item : sequence(value)) {
      scalar(item, path + "[" + index++ + "]").ifPresent(items::add);
    }
    return items;
  }

  private Optional<Setting> scalar(Node value, String path) {
    if (value instanceof ScalarNode scalar) {
      return Optional.of(new Setting(where(value, path), scalar.getValue()));
    }
    fault(value, path, "a list or a section (expected: a single value)");
    return Optional.empty();
  }

  private void fault(Node at, String path, String problem) {
    faults.add(where(at, path) + ": " + problem);
  }

  private String where(Node node, String path) {
    return at(node.getStartMark()) + path;
  }

  private String at(Optional<Mark> mark) {
    return mark.map(at -> file + ":" + (at.getLine() + 1) + ":" + (at.getColumn() + 1) + ": ")
        .orElse(file + ": ");
  }
}
