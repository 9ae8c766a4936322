package dev.weir.proxy.envoy.importer;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.envoy.file.DescriptorLimit;
import dev.weir.proxy.envoy.file.DescriptorSpec;
import dev.weir.proxy.envoy.file.DomainOptions;
import dev.weir.proxy.envoy.file.DomainSpec;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.envoy.file.WildcardPattern;
import dev.weir.proxy.watch.SmallFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns files of envoyproxy/ratelimit into rules, as far as both can say the same. A file names
 * entries of descriptors; only Envoy's routes know where their values come from, so the operator
 * has to say that, except for well-known names. Limits that cannot be turned are reported with a
 * reason.
 *
 * <p>Each rule is read as a settings file before it is accepted, and all of them together at the
 * end: the output passes {@code weir check}.
 */
public final class RuleImport {
  /** The source of an entry that is matched, and is no part of a key. */
  private static final String PATH = "path";

  private static final String METHOD = "method";

  /** The sources of entries with well-known names. */
  private static final Map<String, String> KNOWN =
      Map.of(
          "remote_address", "ip",
          "path", PATH,
          ":path", PATH,
          "method", METHOD,
          ":method", METHOD);

  private static final String NETWORK = "masked_remote_address";

  /** The settings that a file needs besides rules. */
  private static final String UPSTREAM = "upstream: http://127.0.0.1:1\n";

  private static final String STORE = "redis:\n  nodes: 127.0.0.1:1\n";

  private final SettingsFile reader = new SettingsFile();
  private final Map<String, String> sources;
  private final Map<String, ImportedRule> rules = new LinkedHashMap<>();
  private final List<String> unturned = new ArrayList<>();

  /** A wildcard node. */
  private record Wildcard(DescriptorSpec spec, WildcardPattern pattern) {
    /**
     * Whether it matches everything that another wildcard matches. A star of the other is a plain
     * character here, which only a star matches.
     */
    boolean covers(DescriptorSpec other) {
      boolean isOfKeys = spec.value().isEmpty();
      if (!isOfKeys && (other.value().isEmpty() || !spec.key().equals(other.key()))) {
        return false;
      }
      String text = isOfKeys ? other.key() : other.value();
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return pattern.matches(new UnsafeBuffer(bytes), 0, bytes.length);
    }
  }

  private RuleImport(Map<String, String> sources) {
    this.sources = sources;
  }

  /**
   * Turns one domain: each belongs to other routes of Envoy, and rules apply to all requests.
   *
   * @param domain of the configuration.
   * @param sources by the key of an entry: a part of a key of rules, {@code path} or {@code
   *     method}.
   */
  public static RuleImport of(
      RateLimitConfiguration configuration, String domain, Map<String, String> sources) {
    RuleImport made = new RuleImport(sources);
    for (DomainSpec spec : configuration.domains()) {
      if (!spec.name().equals(domain)) {
        continue;
      }
      made.turn(spec.name(), spec.descriptors(), List.of());
      if (!spec.options().equals(DomainOptions.NONE)) {
        made.unturned.add(spec.name() + ": weir: what its answers have is Envoy's alone");
      }
    }
    return made;
  }

  private void turn(String domain, List<DescriptorSpec> specs, List<DescriptorSpec> above) {
    List<Wildcard> wildcards = new ArrayList<>();
    for (DescriptorSpec spec : specs) {
      List<DescriptorSpec> path = new ArrayList<>(above);
      path.add(spec);
      DescriptorSpec wider = spec.isWildcard() ? wider(wildcards, spec) : null;
      if (wider != null) {
        String problem = ": never reached, as %s before it (line %d) stands for all that it does";
        String widerKey = Faults.printable(wider.compositeKey());
        unturned.add(where(domain, path) + problem.formatted(widerKey, wider.line()));
        continue;
      }
      if (spec.limit() != null) {
        turn(domain, path, spec.limit());
      }
      turn(domain, spec.children(), path);
    }
  }

  /**
   * The first wildcard that matches everything that another one does; if there is none, null, and
   * that one is added.
   */
  private static DescriptorSpec wider(List<Wildcard> before, DescriptorSpec wildcard) {
    for (Wildcard earlier : before) {
      if (earlier.covers(wildcard)) {
        return earlier.spec;
      }
    }
    before.add(new Wildcard(wildcard, new WildcardPattern(wildcard.pattern())));
    return null;
  }

  private void turn(String domain, List<DescriptorSpec> path, DescriptorLimit limit) {
    ImportedRule rule = new ImportedRule(domain);
    String problem = problem(limit);
    for (DescriptorSpec spec : path) {
      problem = problem == null ? add(spec, rule) : problem;
    }
    if (problem == null && !rule.take(limit)) {
      problem = "a rule without a limit has no key, and refuses or passes everybody";
    }
    problem = problem == null ? fault(rule) : problem;
    problem = problem == null ? add(rule) : problem;
    if (problem != null) {
      unturned.add(where(domain, path) + ": " + problem);
    }
  }

  /**
   * Adds a rule, or its limits to the rule of the same requests; returns why that is impossible, or
   * null.
   */
  private String add(ImportedRule rule) {
    ImportedRule before = rules.putIfAbsent(rule.match(), rule);
    if (before == null) {
      return null;
    }
    if (!before.join(rule)) {
      return "of one path and method the first rule decides: " + before.id();
    }
    String fault = fault(before);
    if (fault != null) {
      before.leave(rule);
    }
    return fault;
  }

  /** Why a settings file cannot have a rule; null if it can. */
  private String fault(ImportedRule rule) {
    StringBuilder yaml = new StringBuilder(UPSTREAM).append(STORE).append("rules:\n");
    rule.write("imported", yaml);
    return read(yaml.toString()).all().stream()
        .map(fault -> fault.path().replaceFirst("^rules\\[0]\\.", "") + ": " + fault.problem())
        .findFirst()
        .orElse(null);
  }

  private Faults read(String yaml) {
    Faults faults = Faults.ofFile("rules");
    reader.read(yaml.getBytes(StandardCharsets.UTF_8), faults);
    return faults;
  }

  /** Why a settings file cannot have all the rules; empty if it can. */
  public List<String> faults() {
    String file = UPSTREAM + (asksStore() ? STORE : "") + yaml();
    if (file.length() > SmallFile.MAX_BYTES) {
      return List.of("more rules than a settings file of 1MiB can have");
    }
    return read(file).all().stream().map(Faults.Fault::toString).toList();
  }

  private boolean asksStore() {
    return rules.values().stream().anyMatch(ImportedRule::asksStore);
  }

  /** Notes about the rules, for the operator. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (asksStore()) {
      notes.add("redis.nodes has to be set beside these rules, as some are of mode exact");
    }
    if (rules.values().stream().anyMatch(ImportedRule::countsAddresses)) {
      notes.add("key ip counts IPv6 addresses by network (ipv6-prefix, 64 unless set)");
    }
    rules.values().stream()
        .map(ImportedRule::path)
        .distinct()
        .filter(path -> path.endsWith("/**") && path.length() > "/**".length())
        .map(path -> path.substring(0, path.length() - "/**".length()))
        .map(path -> "path " + path + "/* is " + path + "/** in rules, which also matches " + path)
        .forEach(notes::add);
    Map<String, ImportedRule> byId = byId();
    byId.forEach((id, rule) -> addNote(id, rule, byId, notes));
    return notes;
  }

  /** Says of a rule of a method from which rules it takes its requests. */
  private static void addNote(
      String id, ImportedRule rule, Map<String, ImportedRule> byId, List<String> notes) {
    if (rule.isOfAllMethods()) {
      return;
    }
    List<String> others = new ArrayList<>();
    byId.forEach(
        (otherId, other) -> {
          if (other != rule && other.covers(rule)) {
            others.add(otherId);
          }
        });
    if (!others.isEmpty()) {
      String path = rule.path().isEmpty() ? "every path" : rule.path();
      notes.add(
          "rule %s takes %s of %s from %s %s, whose limits do not count it"
              .formatted(
                  id,
                  rule.method(),
                  path,
                  others.size() == 1 ? "rule" : "rules",
                  String.join(", ", others)));
    }
  }

  private static String where(String domain, List<DescriptorSpec> path) {
    List<String> names = new ArrayList<>(List.of(domain));
    path.forEach(spec -> names.add(spec.compositeKey()));
    int line = path.get(path.size() - 1).line();
    return Faults.printable(String.join(" > ", names)) + " (line " + line + ")";
  }

  private static String problem(DescriptorLimit limit) {
    if (limit.isQuota()) {
      return "quota_mode: each limit of a rule refuses by itself";
    }
    return limit.replaces().isEmpty() ? null : "replaces: all limits of a rule count";
  }

  /** Adds an entry to a rule; returns why that is impossible, or null. */
  private String add(DescriptorSpec spec, ImportedRule rule) {
    String source = sources.getOrDefault(spec.key(), KNOWN.get(spec.key()));
    if (source == null && spec.key().equals(NETWORK)) {
      return NETWORK
          + " is a network of clients, of a length that Envoy's routes say (expected: --entry "
          + NETWORK
          + "=ip for a budget of each IPv4 address and of each IPv6 network of ipv6-prefix)";
    }
    if (source == null) {
      return "what "
          + Faults.printable(spec.key())
          + " is taken from is not known here (expected: --entry "
          + Faults.printable(spec.key())
          + "=SOURCE, such as header:x-user-id, ip, path or method)";
    }
    if (source.equals(PATH)) {
      return rule.path(spec);
    }
    if (source.equals(METHOD)) {
      boolean isOne = !spec.value().isEmpty() && !spec.isWildcard();
      return isOne ? rule.method(spec.value()) : "a budget of each method: rules have none";
    }
    return spec.value().isEmpty()
        ? rule.key(source)
        : "a value of " + source + ": rules are found by path and method alone";
  }

  /** The rules as YAML. */
  public String yaml() {
    if (rules.isEmpty()) {
      return "rules: []\n";
    }
    StringBuilder yaml = new StringBuilder("rules:\n");
    byId().forEach((id, rule) -> rule.write(id, yaml));
    return yaml.toString();
  }

  private Map<String, ImportedRule> byId() {
    Map<String, ImportedRule> byId = new LinkedHashMap<>();
    for (ImportedRule rule : ordered()) {
      String id = rule.id();
      for (int number = 2; byId.putIfAbsent(id, rule) != null; number++) {
        id = rule.id() + "-" + number;
      }
    }
    return byId;
  }

  /** The rules in order: for one path, those of a method before one of all methods. */
  private List<ImportedRule> ordered() {
    Map<String, List<ImportedRule>> byPath = new LinkedHashMap<>();
    for (ImportedRule rule : rules.values()) {
      byPath.computeIfAbsent(rule.path(), path -> new ArrayList<>()).add(rule);
    }
    return byPath.values().stream()
        .flatMap(of -> of.stream().sorted(Comparator.comparing(ImportedRule::isOfAllMethods)))
        .toList();
  }

  /** The limits that were not turned, each with its reason. */
  public List<String> unturned() {
    return List.copyOf(unturned);
  }

  /** The number of rules. */
  public int ruleCount() {
    return rules.size();
  }
}
