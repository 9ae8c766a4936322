package dev.weir.proxy.envoy.file;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.control.YamlBudget;
import dev.weir.proxy.control.YamlDocument;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads one file of envoyproxy/ratelimit: a domain with its tree of descriptors, and Weir's own
 * settings below {@code weir}. Every fault is reported with its line.
 */
final class DomainReader {
  private static final Set<String> ROOT_KEYS = Set.of("domain", "descriptors", "weir");
  private static final Set<String> ROOT_OPTIONS =
      Set.of("mode", "refused-hits", "all-or-nothing", "headers");
  private static final Set<String> LIMIT_OPTIONS =
      Set.of("mode", "refused-hits", "algorithm", "burst");
  private static final Set<String> NODE_KEYS =
      Set.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "quota_mode",
          "detailed_metric",
          "value_to_metric",
          "share_threshold",
          "metadata",
          "weir");
  private static final Set<String> LIMIT_KEYS =
      Set.of("unit", "requests_per_unit", "unlimited", "name", "replaces");

  private enum RefusedHits {
    COUNT,
    SPARE;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private final Faults faults;
  private final LimitCompiler compiler;
  private final YamlBudget budget;
  private LimitOptions domainOptions = LimitOptions.NONE;

  /**
   * @param compiler checks algorithms.
   * @param valuesBefore number of values in the files before this one.
   */
  DomainReader(Faults faults, LimitCompiler compiler, int valuesBefore) {
    this.faults = faults;
    this.compiler = compiler;
    this.budget = new YamlBudget(faults, valuesBefore);
  }

  /** The number of values in this file and those before it; a fault if there are too many. */
  int valuesSoFar() {
    return budget.valuesSoFar();
  }

  /** Reads a domain from a file's content; null, or incomplete, if there was a fault. */
  DomainSpec read(byte[] content) {
    Node node = YamlDocument.compose(content, "a domain and its descriptors", faults);
    YamlSection root = node == null ? null : YamlSection.of(node, "", faults, budget);
    if (root == null) {
      return null;
    }
    root.allowOnly(ROOT_KEYS);
    String domain = root.text("domain");
    if (domain.isEmpty()) {
      faults.add(root.line("domain"), "domain", "missing (expected: a name)");
    }
    DomainOptions options = options(root.section("weir"));
    return new DomainSpec(domain, descriptors(root), options);
  }

  private DomainOptions options(YamlSection weir) {
    if (weir == null) {
      return DomainOptions.NONE;
    }
    weir.allowOnly(ROOT_OPTIONS);
    Mode mode = weir.oneOf("mode", Mode.values());
    boolean spares = weir.oneOf("refused-hits", RefusedHits.values()) == RefusedHits.SPARE;
    boolean isAllOrNothing = weir.flag("all-or-nothing");
    domainOptions = new LimitOptions(mode, spares || isAllOrNothing, null, 0);
    return new DomainOptions(isAllOrNothing, weir.oneOf("headers", LimitHeaders.values()));
  }

  private List<DescriptorSpec> descriptors(YamlSection parent) {
    List<DescriptorSpec> specs = new ArrayList<>();
    Map<String, DescriptorSpec> known = new HashMap<>();
    for (YamlSection section : parent.sections("descriptors")) {
      if (section.enter()) {
        DescriptorSpec spec = descriptor(section);
        DescriptorSpec before = known.putIfAbsent(spec.compositeKey(), spec);
        if (before != null && !spec.key().isEmpty()) {
          String problem = "%s: already on line %d (expected: each key and value once)";
          section.fault(problem.formatted(Faults.printable(spec.compositeKey()), before.line()));
        }
        specs.add(spec);
      }
      section.leave();
    }
    DescriptorSpec.checkSearching(specs, faults);
    return List.copyOf(specs);
  }

  private DescriptorSpec descriptor(YamlSection section) {
    section.allowOnly(NODE_KEYS);
    String key = section.text("key");
    if (key.isEmpty()) {
      section.fault("no key (expected: the name of a descriptor's entry)");
    }
    boolean shares = section.flag("share_threshold");
    DescriptorSpec spec =
        new DescriptorSpec(
            key,
            section.text("value"),
            limit(section),
            section.flag("value_to_metric"),
            shares,
            descriptors(section),
            section.startsAt());
    if (shares && !spec.isWildcard()) {
      section.fault("share_threshold", spec.value(), "a value with a *");
    }
    return spec;
  }

  private DescriptorLimit limit(YamlSection node) {
    YamlSection section = node.section("rate_limit");
    LimitOptions options = options(node, section != null);
    if (section == null) {
      return null;
    }
    section.allowOnly(LIMIT_KEYS);
    boolean isUnlimited = section.flag("unlimited");
    LimitUnit unit = unit(section, isUnlimited);
    String name = section.text("name");
    DescriptorLimit limit =
        new DescriptorLimit(
            unit,
            section.number("requests_per_unit", 0, DescriptorLimit.MAX_REQUESTS_PER_UNIT),
            isUnlimited,
            name,
            replaces(section, name),
            node.flag("shadow_mode"),
            node.flag("quota_mode"),
            node.flag("detailed_metric"),
            options);
    if (unit != null && limit.requestsPerUnit() > 0) {
      compiler.check(
          limit, (field, bad) -> node.fault("weir", bad.value(), field + ": " + bad.expected()));
    }
    return limit;
  }

  private LimitOptions options(YamlSection node, boolean isLimited) {
    YamlSection weir = node.section("weir");
    if (weir == null) {
      return domainOptions;
    }
    weir.allowOnly(LIMIT_OPTIONS);
    if (!isLimited) {
      node.fault("weir", "without rate_limit", "a rate_limit that it is about");
    }
    Mode mode = weir.oneOf("mode", Mode.values());
    RefusedHits refused = weir.oneOf("refused-hits", RefusedHits.values());
    Algorithm algorithm = weir.oneOf("algorithm", Algorithm.values());
    if (refused == RefusedHits.COUNT && algorithm != null) {
      weir.fault("refused-hits", "count", "nothing or spare, as there is an algorithm");
    }
    return new LimitOptions(
        mode == null ? domainOptions.mode() : mode,
        refused == null ? domainOptions.sparesRefused() : refused == RefusedHits.SPARE,
        algorithm,
        weir.number("burst", 0, Limit.MAX_TIME_NS));
  }

  private static LimitUnit unit(YamlSection section, boolean isUnlimited) {
    String text = section.text("unit");
    LimitUnit unit = LimitUnit.ofText(text);
    if (isUnlimited) {
      if (!text.isEmpty()) {
        section.fault("unit", text, "nothing, as it is unlimited");
      }
      return null;
    }
    if (unit == null) {
      String expected = "second, minute, hour, day, week, month or year";
      if (text.isEmpty()) {
        section.fault("no unit (expected: " + expected + ", or unlimited)");
      } else {
        section.fault("unit", text, expected);
      }
    }
    return unit;
  }

  private static List<String> replaces(YamlSection section, String name) {
    List<String> replaces = new ArrayList<>();
    for (YamlSection item : section.sections("replaces")) {
      item.allowOnly(Set.of("name"));
      String replaced = item.text("name");
      if (replaced.isEmpty()) {
        item.fault("no name (expected: that of another limit)");
      } else if (replaced.equals(name)) {
        item.fault("name", replaced, "the name of another limit");
      }
      replaces.add(replaced);
    }
    return List.copyOf(replaces);
  }
}
