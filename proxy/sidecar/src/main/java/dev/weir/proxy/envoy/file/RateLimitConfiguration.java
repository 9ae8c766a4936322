package dev.weir.proxy.envoy.file;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.rule.Rule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;

/** All domains of a folder, compiled. Immutable; any thread; matching allocates nothing. */
public final class RateLimitConfiguration {
  /** The most bytes of the names of all limits in metrics: they are in every scrape, five times. */
  public static final int MAX_NAMES_BYTES = 2 << 20;

  /** Bytes that a label adds to its value in a scrape. */
  private static final int LABEL_BYTES = 10;

  private final List<DomainSpec> specs;

  /** The domains by hash of their names, an open-addressing table that is at most half full. */
  private final Domain[] domains;

  private final List<NodeLimit> limits = new ArrayList<>();
  private int nameBytesLeft = MAX_NAMES_BYTES;
  private int unnamedCount;
  private final LimitCompiler compiler;

  /** The limits that do not only count, by the path to their nodes. */
  private final Map<List<String>, Rule> charged = new HashMap<>();

  /** The highest version of any limit so far. */
  private long version;

  /**
   * @param specs with different names.
   * @param previous the configuration to be replaced, whose budgets continue; null at the start.
   */
  RateLimitConfiguration(
      List<DomainSpec> specs, LimitCompiler compiler, RateLimitConfiguration previous) {
    this.specs = List.copyOf(specs);
    this.compiler = compiler;
    version = previous == null ? 0 : previous.version;
    domains = new Domain[Integer.highestOneBit(specs.size() * 2 + 1) * 2];
    for (DomainSpec spec : specs) {
      List<String> names = List.of(spec.name());
      int before = limits.size();
      DescriptorLevel level = level(spec.descriptors(), names, false, previous);
      boolean replaces =
          limits.subList(before, limits.size()).stream()
              .anyMatch(limit -> !limit.spec().replaces().isEmpty());
      Domain domain = Domain.of(spec.name(), level, spec.options(), replaces);
      int at = place(domain.seed());
      while (domains[at] != null) {
        at = place(at + 1);
      }
      domains[at] = domain;
    }
  }

  private DescriptorLevel level(
      List<DescriptorSpec> specs,
      List<String> names,
      boolean byValues,
      RateLimitConfiguration previous) {
    List<DescriptorNode> nodes = new ArrayList<>();
    for (DescriptorSpec spec : specs) {
      List<String> path = new ArrayList<>(names);
      path.add(spec.compositeKey());
      boolean isByValues = byValues || spec.isValueToMetric();
      NodeLimit limit = null;
      if (spec.limit() != null) {
        limit =
            new NodeLimit(
                spec.limit(),
                charged(spec.limit(), path, previous),
                limits.size(),
                figuresName(path),
                isByValues || spec.limit().hasDetailedMetric(),
                spec.limit().name().getBytes(StandardCharsets.UTF_8));
        limits.add(limit);
      }
      nodes.add(
          new DescriptorNode(spec, limit, level(spec.children(), path, isByValues, previous)));
    }
    return new DescriptorLevel(nodes);
  }

  private Rule charged(DescriptorLimit limit, List<String> path, RateLimitConfiguration previous) {
    if (limit.isUnlimited()) {
      return null;
    }
    if (limit.countsAll()) {
      return compiler.counts(limit);
    }
    Rule before = previous == null ? null : previous.charged.get(path);
    Rule rule = compiler.compile(limit, ++version, before);
    charged.put(List.copyOf(path), rule);
    return rule;
  }

  /**
   * Links the budgets of the previous configuration to those of this one. Call it before anybody
   * uses this one.
   */
  public void succeed() {
    charged.values().forEach(Rule::succeed);
  }

  /** Marks the budgets of the previous configuration as unused, once everybody uses this one. */
  public void completeAdoption() {
    charged.values().forEach(Rule::completeAdoption);
  }

  /** The name of a limit in metrics: its path, as long as there is room for that in a scrape. */
  private List<String> figuresName(List<String> path) {
    int bytes = path.stream().mapToInt(level -> level.length() + LABEL_BYTES).sum();
    if (bytes > nameBytesLeft) {
      unnamedCount++;
      return List.of(path.get(0), NodeLimit.OTHER);
    }
    nameBytesLeft -= bytes;
    return List.copyOf(path);
  }

  /** The domain with a name; null if there is none. */
  public Domain find(DirectBuffer bytes, int at, int length) {
    int place = place(Fnv.add(Fnv.BASIS, bytes, at, length));
    while (domains[place] != null && !Ascii.equals(bytes, at, length, domains[place].bytes())) {
      place = place(place + 1);
    }
    return domains[place];
  }

  private int place(long hash) {
    return Fnv.fold(hash) & domains.length - 1;
  }

  /** The counting limit of a unit, for limits that calls bring. */
  public Rule counts(LimitUnit unit) {
    return compiler.counts(unit);
  }

  /** All limits, each at its {@link NodeLimit#index()}. */
  public List<NodeLimit> limits() {
    return limits;
  }

  /** The names of all domains, in the order of the files. */
  public List<String> domainNames() {
    return specs.stream().map(DomainSpec::name).toList();
  }

  /** The domains as they were read. */
  public List<DomainSpec> domains() {
    return specs;
  }

  /** The names of the domains that are the same in another configuration. */
  public Set<String> sameDomains(RateLimitConfiguration other) {
    Map<String, DomainSpec> others =
        other.specs.stream().collect(Collectors.toMap(DomainSpec::name, Function.identity()));
    return specs.stream()
        .filter(spec -> spec.equals(others.get(spec.name())))
        .map(DomainSpec::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public String toString() {
    String unnamed = unnamedCount == 0 ? "" : ", " + unnamedCount + " of them counted as other";
    return count(specs.size(), "domain") + ", " + count(limits.size(), "limit") + unnamed;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
