package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Random rules and limits of all requests beside a model of them: which limits apply to a request,
 * and whose budgets they are. The model knows a limit as a number and a budget as a text. {@code
 * -Dweir.whose.sets} says how many sets of rules are tried.
 */
class WhoseLimitsModelTest {
  private static final int SETS = Integer.getInteger("weir.whose.sets", 150);
  private static final int TURNS = 60;
  private static final List<String> KEYS =
      List.of("ip", "all", "header:u", "header:o", "user", "header:o,header:u");

  /** The rule for all paths that no other rule has: /p4. Half of the sets have it. */
  private static final String CATCH_ALL = "p4";

  private static final IdentityNames NAMES = new IdentityNames();

  static {
    NAMES.addFirstOf("user", List.of(KeyPart.parse("header:u"), KeyPart.parse("header:o")));
  }

  private record ModelLimit(String name, String key, int limit, int cost) {
    BudgetSpec.Builder built() {
      BudgetSpec.Builder built = new BudgetSpec.Builder();
      List<KeyPart> parts = new ArrayList<>();
      List.of(key.split(",")).forEach(part -> parts.addAll(NAMES.parts(part)));
      return built
          .name(name)
          .key(KeySpec.ofParts(parts))
          .cost(cost)
          .algorithm(Algorithm.FIXED_WINDOW)
          .rate(Rate.parse(limit + "/365d"));
    }
  }

  private record ModelRule(
      String id,
      RuleAction action,
      boolean dryRun,
      OnMissingKey onMissing,
      List<ModelLimit> limits,
      List<String> everywhere) {
    RuleSpec built() {
      PathPattern path = PathPattern.parse(id.equals(CATCH_ALL) ? "/**" : "/" + id);
      RuleSpec.Builder built = RuleSpec.builder(id).path(path);
      if (action == RuleAction.LIMIT) {
        built.limits(limits.stream().map(ModelLimit::built).toList());
      }
      return built
          .action(action)
          .dryRun(dryRun)
          .onMissingKey(onMissing)
          .everywhere(everywhere)
          .build();
    }
  }

  /**
   * A request, or what a program says of one.
   *
   * @param said what it has, by source; its address if it is a request.
   */
  private record ModelRequest(boolean isProgram, String path, Map<String, String> said) {}

  private final Random random = new Random(7);
  private final Map<String, Integer> used = new HashMap<>();

  /** What programs ask about; checks of one path share it, as those of one turn do. */
  private final Map<String, RequestView> views = new HashMap<>();

  /** The budgets that the last request would be charged to, by name. */
  private Map<String, ModelLimit> charging;

  private List<ModelLimit> everywhere;
  private Map<String, ModelRule> rules;

  @Test
  void chargesTheLimitsThatAModelSays() {
    for (int set = 0; set < SETS; set++) {
      used.clear();
      makeRules();
      run("set " + set);
    }
  }

  private void makeRules() {
    everywhere = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      everywhere.add(limit("e" + i));
    }
    rules = new TreeMap<>();
    int count = random.nextBoolean() ? 4 : 5;
    for (int i = 0; i < count; i++) {
      List<ModelLimit> limits = new ArrayList<>();
      for (int j = random.nextInt(3); j >= 0; j--) {
        limits.add(limit("l" + j));
      }
      List<String> taken = null;
      if (random.nextInt(3) == 0) {
        List<String> names = everywhere.stream().map(ModelLimit::name).toList();
        taken = names.stream().filter(name -> random.nextBoolean()).toList();
      }
      RuleAction action = RuleAction.values()[random.nextInt(3) == 0 ? random.nextInt(3) : 0];
      rules.put(
          "p" + i,
          new ModelRule(
              "p" + i,
              action,
              random.nextInt(4) == 0,
              OnMissingKey.values()[random.nextInt(3)],
              limits,
              taken));
    }
  }

  private ModelLimit limit(String name) {
    int limit = 2 + random.nextInt(12);
    return new ModelLimit(
        name, KEYS.get(random.nextInt(KEYS.size())), limit, 1 + random.nextInt(2));
  }

  private RuleSet compile(RuleSet previous) {
    RuleSpec ofAll =
        everywhere.isEmpty()
            ? null
            : RuleSpec.ofEverywhere(everywhere.stream().map(ModelLimit::built).toList());
    List<RuleSpec> specs = rules.values().stream().map(ModelRule::built).toList();
    return RuleSet.compile(specs, ofAll, false, previous, 0, 0);
  }

  private void run(String where) {
    EmbeddedChannel channel = new EmbeddedChannel();
    LoopClock clock = new LoopClock();
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0)) {
      AdmissionHandler handler =
          new AdmissionHandler(
              new LocalGate(tables),
              new IdentityReader(
                  IdentitySettings.DEFAULT,
                  KeyHasher.withKey(1, 2),
                  new ClientIpReader(IdentitySettings.DEFAULT),
                  1024),
              new Metrics().newLoop(),
              clock,
              channel.eventLoop());
      RuleSet set = compile(RuleSet.EMPTY);
      assertEquals(List.of(), set.unreachable(), where);
      handler.publish(set);
      RuleSet inUse = set;
      Explainer explainer =
          new Explainer(
              new IdentityReader(
                  IdentitySettings.DEFAULT,
                  KeyHasher.withKey(3, 4),
                  new ClientIpReader(IdentitySettings.DEFAULT),
                  1024),
              new AddressLists(),
              StoreNames.DEFAULT.identityText());
      for (int i = 0; i < TURNS; i++) {
        if (i == TURNS / 2) {
          RuleSet next = compile(set);
          next.succeed();
          handler.publish(next);
          next.completeAdoption();
          inUse = next;
        }
        List<ModelRequest> turn = new ArrayList<>();
        for (int j = random.nextInt(3); j >= 0; j--) {
          turn.add(request());
        }
        Question[] questions = turn.stream().map(this::question).toArray(Question[]::new);
        if (i % 3 == 0) {
          handler.prefetch(questions, questions.length);
        }
        for (int j = 0; j < questions.length; j++) {
          Verdict verdict = handler.ask(questions[j], (ticket, late) -> {}, clock.tick()).verdict();
          String at = where + ", turn " + i + ": " + turn.get(j);
          check(at, verdict, decide(turn.get(j)));
          if (!turn.get(j).isProgram) {
            checkExplained(at, explainer.explain(inUse, questions[j].request()), verdict);
          }
        }
      }
    }
    channel.close();
  }

  private static void check(String where, Verdict verdict, List<String> refusing) {
    String told = where + ": " + refusing + ", " + verdict.refusal();
    assertEquals(refusing.isEmpty(), verdict.allowed(), told);
    if (!verdict.allowed()) {
      String by = verdict.policy() == null ? verdict.refusal().toString() : verdict.policy().name();
      assertTrue(refusing.contains(by), told + " by " + by);
    }
  }

  /** What is explained is what the model charged, and what the engine said. */
  private void checkExplained(String where, Explanation explained, Verdict verdict) {
    assertEquals(verdict.ruleId(), explained.rule() == null ? null : explained.rule().id(), where);
    boolean isRefused = explained.refusal() != null && explained.isEnforced();
    if (isRefused) {
      assertEquals(explained.refusal(), verdict.refusal(), where);
      return;
    }
    assertTrue(verdict.allowed() || verdict.refusal() == RefusalReason.OVER_LIMIT, where);
    Map<String, Long> units = new TreeMap<>();
    for (Explanation.Limit limit : explained.limits()) {
      if (limit.isEnforced()) {
        units.put(limit.budget().policy().name(), limit.units());
      }
    }
    Map<String, Long> expected = new TreeMap<>();
    charging.values().forEach(limit -> expected.put(limit.name, (long) limit.cost));
    assertEquals(expected, units, where);
  }

  private ModelRequest request() {
    boolean isProgram = random.nextInt(4) == 0;
    Map<String, String> said = new TreeMap<>();
    if (!isProgram || random.nextBoolean()) {
      said.put("ip", "192.0.2." + random.nextInt(2));
    }
    if (random.nextInt(3) > 0) {
      said.put("header:u", random.nextBoolean() ? "ann" : "bob");
    }
    if (random.nextInt(3) > 0) {
      said.put("header:o", random.nextBoolean() ? "org" : "ann");
    }
    return new ModelRequest(isProgram, "/p" + random.nextInt(5), said);
  }

  private Question question(ModelRequest request) {
    if (!request.isProgram) {
      List<String> fields = new ArrayList<>();
      request.said.forEach(
          (source, value) -> {
            if (!source.equals("ip")) {
              fields.add(source.substring("header:".length()));
              fields.add(value);
            }
          });
      String[] all = fields.toArray(String[]::new);
      return new Question()
          .traffic(TextRequest.from(request.said.get("ip"), "GET", request.path, all));
    }
    Question question = new Question();
    question.start(Operation.CHECK, Purpose.DECISION);
    request.said.forEach(
        (source, value) -> {
          UnsafeBuffer bytes = new UnsafeBuffer(value.getBytes(StandardCharsets.US_ASCII));
          question.identity(source, bytes, 0, bytes.capacity());
        });
    return question.request(views.computeIfAbsent(request.path, WhoseLimitsModelTest::view));
  }

  private static RequestView view(String path) {
    UnsafeBuffer bytes = new UnsafeBuffer(("GET" + path).getBytes(StandardCharsets.US_ASCII));
    RequestView view = new RequestView(0);
    view.reset(bytes, 0, bytes.capacity(), null);
    view.method(0, 3);
    view.path(3, path.length());
    return view;
  }

  /** The limits, or the reason, that refuse a request; none if it passes. */
  private List<String> decide(ModelRequest request) {
    ModelRule rule = rules.get(request.path.substring(1));
    boolean isRehearsed = rule != null && rule.dryRun && rule.action != RuleAction.UNLIMITED;
    if (rule != null && rule.action == RuleAction.DENY && !isRehearsed) {
      return List.of("DENIED");
    }
    Map<String, ModelLimit> charged = new TreeMap<>();
    boolean isMissing = false;
    for (ModelLimit limit : everywhere) {
      boolean isTaken =
          rule == null || rule.everywhere == null || rule.everywhere.contains(limit.name);
      String identity = isTaken ? identity("", limit.key, OnMissingKey.IP, request) : "?";
      if (!identity.contains("?")) {
        charged.put("everywhere " + limit.name + " " + identity, limit);
      }
    }
    if (rule != null && rule.action == RuleAction.LIMIT && !isRehearsed) {
      for (ModelLimit limit : rule.limits) {
        String identity = identity(rule.id, limit.key, rule.onMissing, request);
        isMissing |= identity.contains("?");
        charged.put(rule.id + " " + limit.name + " " + identity, limit);
      }
    }
    charging = charged;
    List<String> refusing = new ArrayList<>();
    charged.forEach(
        (budget, limit) -> {
          if (used.getOrDefault(budget, 0) + limit.cost > limit.limit) {
            refusing.add(limit.name);
          }
        });
    if (isMissing) {
      return List.of("IDENTITY_MISSING");
    }
    if (refusing.isEmpty()) {
      charged.forEach((budget, limit) -> used.merge(budget, limit.cost, Integer::sum));
    }
    return refusing;
  }

  /** Whose budget it is; with a question mark if that cannot be known. */
  private static String identity(
      String owner, String key, OnMissingKey onMissing, ModelRequest request) {
    if (key.equals("all")) {
      return owner;
    }
    List<String> values = new ArrayList<>();
    for (String source : key.split(",")) {
      String value = request.said.get(source);
      if (source.equals("user")) {
        value = request.said.getOrDefault("header:u", request.said.get("header:o"));
      }
      if (value == null) {
        String address = request.isProgram ? "?" : "=" + request.said.get("ip");
        value =
            source.equals("ip")
                ? "?"
                : switch (onMissing) {
                  case IP -> address;
                  case SHARED -> "!";
                  case REFUSE -> "?";
                };
      }
      values.add(source.equals("ip") ? "@" + value : value);
    }
    return String.join("+", values);
  }
}
