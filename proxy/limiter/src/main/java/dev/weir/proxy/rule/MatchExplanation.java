package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Says of each rule of a set why one request has it, or has it not. It decides nothing by itself:
 * the set's own matcher finds the rule; a matcher of the same kind, made for the host and the path
 * of one rule, says whether these are fulfilled; and the rule's own conditions say which of them
 * failed. For people, so it allocates.
 */
public final class MatchExplanation {
  /** The networks of a rule that are named. */
  private static final int MOST_NETWORKS = 3;

  private static final Compilation NO_TIME = Compilation.at(0, 0);

  private final RuleSet set;
  private final MatchedRequest request;

  /** Whether the request has a host and a path that was asked about. */
  private final Map<Place, Boolean> known = new HashMap<>();

  /**
   * @param host null for every host.
   */
  private record Place(HostPattern host, PathPattern path) {}

  private MatchExplanation(RuleSet set, MatchedRequest request) {
    this.set = set;
    this.request = request;
  }

  /** Looks at all rules but the limits of all requests, in the order of the file. */
  public static List<ConsideredRule> of(RuleSet set, MatchedRequest request) {
    return new MatchExplanation(set, request).all();
  }

  private List<ConsideredRule> all() {
    Rule chosen = set.match(request);
    List<ConsideredRule> all = new ArrayList<>();
    for (Rule rule : set.rules()) {
      if (!rule.spec().isEverywhere()) {
        all.add(
            rule == chosen
                ? new ConsideredRule(rule, ConsideredRule.Result.CHOSEN, null, "")
                : look(rule, chosen));
      }
    }
    return all;
  }

  private ConsideredRule look(Rule rule, Rule chosen) {
    MatchSpec match = rule.spec().match();
    if (match.host() != null && !matches(match.host(), PathPattern.ANY)) {
      return failed(rule, "host", "host is not " + match.host());
    }
    if (!matches(match.host(), match.path())) {
      String what = match.path().isGrpc() ? "grpc" : "path";
      return failed(rule, what, what + " is not " + match.path());
    }
    Object condition = rule.failed(request);
    if (condition instanceof FieldCondition field) {
      return failed(rule, name(field.part()), text(field));
    }
    if (condition == RuleConditions.METHODS) {
      return failed(
          rule, RuleConditions.METHODS, "method is not " + String.join(" or ", match.methods()));
    }
    if (condition == RuleConditions.CIDR) {
      return failed(rule, RuleConditions.CIDR, "address is not in " + networks(match.cidr()));
    }
    String because =
        "\"" + chosen.id() + "\" stands before it, " + rank(chosen.spec(), rule.spec());
    return new ConsideredRule(rule, ConsideredRule.Result.BEHIND, null, because);
  }

  private static ConsideredRule failed(Rule rule, String field, String because) {
    return new ConsideredRule(rule, ConsideredRule.Result.FAILED, field, because);
  }

  /** Whether a rule for a host and a path, and without conditions, would match. */
  private boolean matches(HostPattern host, PathPattern path) {
    return known.computeIfAbsent(new Place(host, path), this::matches);
  }

  private boolean matches(Place place) {
    RuleSpec.Builder spec = RuleSpec.builder("probe").action(RuleAction.DENY);
    spec.match().host(place.host()).path(place.path());
    Rule probe = new Rule(spec.build(), 0, 0, null, NO_TIME, null);
    return new HostMatcher(List.of(probe), set.ignoresCase()).match(request) != null;
  }

  /** Why the first of two rules that match stands before the other. */
  private String rank(RuleSpec first, RuleSpec other) {
    if (!Objects.equals(first.match().host(), other.match().host())) {
      return "with a more specific host";
    }
    boolean ignoreCase = set.ignoresCase();
    String path = first.match().path().canonical(ignoreCase);
    if (!path.equals(other.match().path().canonical(ignoreCase))) {
      return "with a more specific path";
    }
    if (first.priority() != other.priority()) {
      return "with a higher priority";
    }
    return first.match().conditionCount() != other.match().conditionCount()
        ? "with more conditions"
        : "as it is earlier in the file";
  }

  private static String name(KeyPart part) {
    boolean isHeader = part.source() == KeyPart.Source.HEADER;
    return (isHeader ? "headers." : "query.") + nameAlone(part);
  }

  private static String nameAlone(KeyPart part) {
    return part.toString().substring(part.toString().indexOf(':') + 1);
  }

  /** The values that a rule asks of a secret are secrets too. */
  private static String text(FieldCondition field) {
    String what = field.part().source() == KeyPart.Source.HEADER ? "header " : "parameter ";
    String tests =
        field.tests().stream()
            .map(test -> text(test, field.part().isSecret()))
            .distinct()
            .collect(Collectors.joining(", "));
    return what + nameAlone(field.part()) + " " + tests;
  }

  private static String text(ValueCondition test, boolean isSecret) {
    return switch (test.kind()) {
      case PRESENT -> "is absent";
      case ABSENT -> "is present";
      case EXACT -> isSecret ? "is not as the rule has it" : "is not " + test.text();
      case PREFIX ->
          isSecret ? "does not begin as the rule has it" : "does not begin with " + test.text();
      case SUFFIX ->
          isSecret ? "does not end as the rule has it" : "does not end with " + test.text();
    };
  }

  private static String networks(List<Cidr> networks) {
    String named =
        networks.stream()
            .limit(MOST_NETWORKS)
            .map(Cidr::toString)
            .collect(Collectors.joining(", "));
    int more = networks.size() - MOST_NETWORKS;
    return more > 0 ? named + " or " + more + " more" : named;
  }
}
