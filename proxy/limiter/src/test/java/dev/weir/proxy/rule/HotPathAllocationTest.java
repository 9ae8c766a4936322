package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Normalising, matching and identifying a request allocate nothing. */
@Tag("allocation")
class HotPathAllocationTest {
  private static final int ITERATIONS = 100_000;

  /** Bytes that the measuring itself may take. */
  private static final long NOISE_BYTES = 1_000;

  private final RuleSet rules = rules();
  private final IdentityReader identity;
  private final RequestView[] requests = {
    request("GET", "/api/v1/orders?k=a%20b"),
    request("POST", "/api/v1/orders/"),
    request("GET", "/users/%40me/keys;v=1"),
    request("GET", "/static/css/a-rather-long-file-name.css"),
    request("DELETE", "/nothing/here"),
    request("GET", "/tenants/x?k=a%20b&tenant=red", "x-tenant", "t-17"),
    request("GET", "/tenants/x?k=a%20b&tenant=red", "x-tenant", "nobody", "x-tenant", "t-3"),
    request("GET", "/partner/x", ":authority", "A.Example.COM.:8443"),
    request("GET", "/partner/x", ":authority", "[2001:DB8:0::7]:8443"),
  };
  private final UnsafeBuffer path =
      new UnsafeBuffer("/a//b/%7e/../c".getBytes(StandardCharsets.US_ASCII));
  private final UnsafeBuffer normal = new UnsafeBuffer(new byte[64]);

  HotPathAllocationTest() {
    CidrSet trusted = CidrSet.of(List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00::/8")));
    IdentitySettings settings = new IdentitySettings(trusted, ClientIpField.X_FORWARDED_FOR, 64);
    identity =
        new IdentityReader(settings, KeyHasher.random(), new ClientIpReader(settings), 32 << 10);
  }

  private static RuleSet rules() {
    List<RuleSpec> rules = new ArrayList<>();
    rules.add(rule("orders", "/api/v1/orders", "header:x-user-id", "GET"));
    rules.add(rule("new-orders", "/api/v1/orders", "ip,header:x-user-id,cookie:s", "POST"));
    rules.add(rule("keys", "/users/{id}/keys", "query:k"));
    rules.add(rule("static", "/static/**", "ip"));
    rules.add(
        RuleSpec.builder("all")
            .onMissingKey(OnMissingKey.IP)
            .limits(List.of(limit("1/1s", "cookie:s"), limit("9/1m", "header:x-user-id,ip")))
            .build());
    for (int i = 0; i < 20; i++) {
      String tenant = "t-" + i;
      rules.add(
          with(tenant, b -> b.field(field("header:x-tenant", ValueCondition.Kind.EXACT, tenant))));
    }
    rules.add(with("k", b -> b.field(field("query:k", ValueCondition.Kind.PREFIX, "a b"))));
    rules.add(with("host", b -> b.host(HostPattern.parse("*.example.com")).cidr(clients())));
    rules.add(with("ipv6", b -> b.host(HostPattern.parse("[2001:db8::7]")).cidr(clients())));
    return RuleSet.compile(rules, false, RuleSet.EMPTY, 0);
  }

  private static List<Cidr> clients() {
    return List.of(Cidr.parse("2001:db8::/32"), Cidr.parse("198.51.100.0/24"));
  }

  private static FieldCondition field(String part, ValueCondition.Kind kind, String text) {
    return new FieldCondition(KeyPart.parse(part), List.of(ValueCondition.of(kind, text)));
  }

  private static RuleSpec with(String id, Consumer<MatchSpec.Builder> match) {
    RuleSpec.Builder rule = RuleSpec.builder(id).rate(Rate.parse("1/1s"));
    match.accept(rule.match());
    return rule.build();
  }

  @Test
  void findsTheRulesWithConditions() {
    List<String> found = new ArrayList<>();
    for (int i = 5; i < requests.length; i++) {
      found.add(rules.match(identity.matched(question.traffic(requests[i]))).id());
    }
    assertEquals(List.of("t-17", "t-3", "host", "ipv6"), found);
  }

  private static BudgetSpec.Builder limit(String rate, String key) {
    return new BudgetSpec.Builder().rate(Rate.parse(rate)).key(KeySpec.parse(key));
  }

  private static RuleSpec rule(String id, String pattern, String key, String... methods) {
    return RuleSpec.builder(id)
        .path(PathPattern.parse(pattern))
        .methods(List.of(methods))
        .rate(Rate.parse("1/1s"))
        .key(KeySpec.parse(key))
        .onMissingKey(OnMissingKey.IP)
        .build();
  }

  private static RequestView request(String method, String target, String... more) {
    List<String> fields = new ArrayList<>(List.of("Accept", "*/*", "X-User-Id", "user-12345"));
    fields.addAll(List.of("Cookie", "t=1; s=\"abc%20\""));
    fields.addAll(List.of("X-Forwarded-For", "2001:db8::1, [fd00::2]:80, 10.0.0.2"));
    fields.addAll(List.of(more));
    return TextRequest.from("10.0.0.1", method, target, fields.toArray(String[]::new));
  }

  private final Question question = new Question();

  private long run(int iterations) {
    long sum = 0;
    for (int i = 0; i < iterations; i++) {
      RequestView request = requests[i % requests.length];
      Rule rule = rules.match(identity.matched(question.traffic(request)));
      if (identity.read(rule, question) == null) {
        for (int group = 0; group < rule.groupCount(); group++) {
          sum += identity.of(group).hash() ^ rule.group(group).budget(0).seed();
        }
      }
      sum += TargetNormaliser.normalise(path, 0, path.capacity(), normal, 0);
    }
    return sum;
  }

  @Test
  void allocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    assertEquals(run(ITERATIONS), run(ITERATIONS));
    long least = Long.MAX_VALUE;
    long sum = 0;
    for (int round = 0; round < 5 && least > NOISE_BYTES; round++) { // the first ones also load
      long before = threads.getCurrentThreadAllocatedBytes();
      sum += run(ITERATIONS);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < NOISE_BYTES, least + " bytes, " + sum);
  }
}
