package dev.weir.proxy.rule;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Finds the rules that no request can reach.
 *
 * <p>For each rule it makes a request that is as special as the rule says and no more, and has it
 * matched. If another rule takes the request, one thing in which the request can differ and leave
 * that rule is changed after the other: method, address, a header, a parameter. Each of these has
 * few values that matter ({@code candidates}): those of the rule itself, and one that no rule
 * names. So the search is exact: a rule is reported if and only if others take every request that
 * it matches. The only exceptions are a rule for which more than {@value #MOST_TRIES} requests were
 * tried, and conditions that leave no letter for a value of no rule: such a rule is not reported.
 */
final class ShadowSearch {
  private static final int MOST_TRIES = 2_000;

  /** Tries for all rules together, so that no file keeps a start waiting. */
  private static final int MOST_TRIES_OF_ALL = 200_000;

  private static final List<String> USUAL_METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");

  private static final String METHOD = "method";
  private static final String ADDRESS = "address";
  private static final List<String> NO_VALUES = List.of();

  /** An address of a range for documentation, in the place of any. */
  private static final IpAddress ANY_ADDRESS = IpAddress.v4(0xC000_0207);

  private final RuleSet set;

  /** Those that match; the limits of all requests are for what they leave. */
  private final List<Rule> rules;

  /** Made for the first rule that is looked for, as most files have none. */
  private FreshTexts fresh;

  private final Address address = new Address();
  private final MatchedRequest matched = new MatchedRequest(address);
  private int triesLeft;
  private int triesOfAll = MOST_TRIES_OF_ALL;
  private boolean isUndecided;

  /** A request that another rule took, if possible one of the same match. */
  private ShadowedRule shadow;

  /** The address of an example. */
  private static final class Address implements ClientAddress {
    private IpAddress of;

    @Override
    public void read(RequestView request) {}

    @Override
    public long high() {
      return of.high();
    }

    @Override
    public long low() {
      return of.low();
    }
  }

  ShadowSearch(RuleSet set) {
    this.set = set;
    this.rules = set.rules().stream().filter(rule -> !rule.spec().isEverywhere()).toList();
  }

  /** The rules that no request can reach, in the order of the file. */
  List<ShadowedRule> run() {
    Map<String, Integer> counts = new HashMap<>();
    rules.forEach(rule -> counts.merge(stem(rule), 1, Integer::sum));
    List<ShadowedRule> found = new ArrayList<>();
    for (Rule rule : rules) {
      if (counts.get(stem(rule)) == 1) {
        continue;
      }
      fresh = fresh == null ? new FreshTexts(rules) : fresh;
      shadow = null;
      isUndecided = false;
      triesLeft = Math.min(MOST_TRIES, triesOfAll);
      int given = triesLeft;
      if (!isReached(rule) && !isUndecided) {
        found.add(shadow);
      }
      triesOfAll -= given - triesLeft;
    }
    return found;
  }

  /**
   * The host of a rule, and its path up to the wildcards at its end. Only a rule that has the same
   * can shadow it: any other leaves it the requests whose segments no rule names.
   */
  private String stem(Rule rule) {
    MatchSpec match = rule.spec().match();
    StringBuilder stem = new StringBuilder(String.valueOf(match.host()));
    int end = stem.length();
    for (PathPattern.Segment segment : match.path().segments()) {
      String label = new String(segment.label(), StandardCharsets.ISO_8859_1);
      stem.append('/').append(set.ignoresCase() ? label.toLowerCase(Locale.ROOT) : label);
      end = segment.kind() == PathPattern.Kind.LITERAL ? stem.length() : end;
    }
    stem.setLength(end);
    return stem.toString();
  }

  private boolean isReached(Rule rule) {
    MatchSpec match = rule.spec().match();
    Map<KeyPart, String> fields = new LinkedHashMap<>();
    for (FieldCondition field : match.fields()) {
      put(fields, field.part(), values(match, field.part()).get(0));
    }
    String host = match.host() == null ? null : host(match.host());
    String method = methods(match).get(0);
    IpAddress client = match.cidr().isEmpty() ? ANY_ADDRESS : match.cidr().get(0).address();
    int longest = match.path().isOpen() ? fresh.mostSegments() + 1 : 0;
    for (int i = 1; i <= longest + 1; i++) {
      String path = path(match.path(), i % (longest + 1)); // no segment comes last
      if (isReached(rule, new ExampleRequest(method, host, path, fields, client), Set.of())) {
        return true;
      }
    }
    // The only target without a path is that of OPTIONS.
    return match.path().isOpen()
        && match.path().segments().size() == 1
        && (match.methods().isEmpty() || match.methods().contains("OPTIONS"))
        && isReached(
            rule, new ExampleRequest("OPTIONS", host, "*", fields, client), Set.of(METHOD));
  }

  /**
   * Whether the rule is reached by a request, or by one that differs from it in what is not fixed.
   *
   * @param fixed what was changed for another rule: {@link #METHOD}, {@link #ADDRESS}, and fields.
   */
  private boolean isReached(Rule rule, ExampleRequest request, Set<Object> fixed) {
    if (triesLeft == 0) {
      isUndecided = true;
      return false;
    }
    triesLeft--;
    Rule taker = match(request);
    assert taker != null : rule + " does not match " + request;
    if (taker == rule || taker == null) {
      return true;
    }
    if (shadow == null || isSameMatch(rule, taker) && !isSameMatch(rule, shadow.by())) {
      shadow = new ShadowedRule(rule, taker, request.toString());
    }
    MatchSpec of = rule.spec().match();
    MatchSpec left = taker.spec().match();
    if (!left.methods().isEmpty() && !fixed.contains(METHOD)) {
      for (String method : methods(of)) {
        if (!left.methods().contains(method)
            && isReached(rule, request.withMethod(method), with(fixed, METHOD))) {
          return true;
        }
      }
    }
    if (!left.cidr().isEmpty() && !fixed.contains(ADDRESS)) {
      for (IpAddress client : addresses(of)) {
        if (!isWithin(left.cidr(), client)
            && isReached(rule, request.withAddress(client), with(fixed, ADDRESS))) {
          return true;
        }
      }
    }
    for (FieldCondition field : left.fields()) {
      for (String value : fixed.contains(field.part()) ? NO_VALUES : values(of, field.part())) {
        if (!field.passes(value)) {
          Map<KeyPart, String> fields = new LinkedHashMap<>(request.fields());
          put(fields, field.part(), value);
          if (isReached(rule, request.withFields(fields), with(fixed, field.part()))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean isSameMatch(Rule one, Rule other) {
    return one.spec().match().isSame(other.spec().match(), set.ignoresCase());
  }

  private Rule match(ExampleRequest request) {
    address.of = request.address();
    return set.match(matched.of(request.view()));
  }

  private static Set<Object> with(Set<Object> fixed, Object more) {
    Set<Object> all = new HashSet<>(fixed);
    all.add(more);
    return all;
  }

  private static void put(Map<KeyPart, String> fields, KeyPart part, String value) {
    if (value == null) {
      fields.remove(part);
    } else {
      fields.put(part, value);
    }
  }

  /** The methods of a match that matter. */
  private List<String> methods(MatchSpec match) {
    if (!match.methods().isEmpty()) {
      return match.methods();
    }
    List<String> methods = new ArrayList<>(USUAL_METHODS);
    methods.add(fresh.method());
    return methods;
  }

  /**
   * The addresses of a match that matter: null, which is that of no network, or the beginning of
   * each part of its networks that networks of other rules begin or end.
   */
  private List<IpAddress> addresses(MatchSpec match) {
    List<IpAddress> addresses = new ArrayList<>();
    if (match.cidr().isEmpty()) {
      addresses.add(null);
      return addresses;
    }
    for (Rule rule : rules) {
      for (Cidr network : rule.spec().match().cidr()) {
        addresses.add(network.address());
        addresses.add(network.last().next());
      }
    }
    addresses.removeIf(client -> !isWithin(match.cidr(), client));
    return addresses;
  }

  private static boolean isWithin(List<Cidr> networks, IpAddress client) {
    return client != null && networks.stream().anyMatch(network -> network.contains(client));
  }

  /** The values of a header or parameter that matter to a match; null for none. */
  private List<String> values(MatchSpec match, KeyPart part) {
    String other = fresh.value(part);
    isUndecided |= other == null;
    String text = other == null ? "" : other;
    List<String> values = new ArrayList<>();
    for (FieldCondition field : match.fields()) {
      for (ValueCondition test :
          field.part().equals(part) ? field.tests() : List.<ValueCondition>of()) {
        values.add(
            switch (test.kind()) {
              case EXACT -> test.text();
              case PREFIX -> test.text() + text;
              case SUFFIX -> text + test.text();
              case PRESENT -> text;
              case ABSENT -> null;
            });
      }
    }
    if (values.isEmpty()) {
      values.add(null);
      values.add(text);
    }
    return values;
  }

  /** A host of a pattern that no longer pattern has. */
  private String host(HostPattern pattern) {
    String text = pattern.toString();
    return pattern.isSuffix() ? fresh.label() + text.substring(1) : text;
  }

  /**
   * A path of a pattern that no more special pattern has, if there is one of its length.
   *
   * @param restSegments how many segments stand for {@code **}.
   */
  private String path(PathPattern pattern, int restSegments) {
    StringBuilder path = new StringBuilder();
    for (PathPattern.Segment segment : pattern.segments()) {
      switch (segment.kind()) {
        case LITERAL -> {
          String label = new String(segment.label(), StandardCharsets.ISO_8859_1);
          path.append('/').append(ExampleRequest.encoded(label, StandardCharsets.ISO_8859_1));
        }
        case SINGLE -> path.append('/').append(fresh.segment());
        case REST -> path.append(("/" + fresh.segment()).repeat(restSegments));
      }
    }
    return path.isEmpty() ? "/" : path.toString();
  }
}
