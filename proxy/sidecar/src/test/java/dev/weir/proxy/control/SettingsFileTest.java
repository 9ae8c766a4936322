package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.upstream.UpstreamCaps;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsFileTest {
  private static final Path EXAMPLE = Path.of("../../deploy/examples/weir.yaml");

  private static Settings accept(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    Settings settings = new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), faults);
    assertNotNull(settings, faults.toString());
    return settings;
  }

  private static String warnings(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    assertNotNull(new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), faults));
    return String.join("\n", faults.warnings().stream().map(Faults.Fault::toString).toList());
  }

  @Test
  void acceptsTheExampleWithoutAWarning() throws IOException {
    assertEquals("", warnings(Files.readString(EXAMPLE)));
  }

  @Test
  void warnsOfSourcesThatAnybodyCanSendBesideVerifiedOnes() {
    assertEquals(
        "weir.yaml:4: identities.user.first-of: warning: a client that sends another one's jwt:sub"
            + " as header:x-user-id spends its budget\n"
            + "weir.yaml:5: identities.host.first-of: warning: a client that sends another one's"
            + " tls:spiffe as query:u spends its budget",
        warnings(
            """
            upstream: http://127.0.0.1:8080
            jwt: {keys: /k}
            identities:
              user: {first-of: [jwt:sub, header:x-user-id]}
              host: {first-of: [query:u, tls:spiffe, ip]}
              verified: {first-of: [jwt:sub, tls:san, ip]}
              sent: {first-of: [cookie:uid, header:x-user-id]}
              together: [jwt:sub, header:x-user-id]
            rules:
              - {id: a, limit: 1/1s, key: user}
            """));
  }

  @Test
  void knowsTheNameOfAKeyThatIsTheDefault() {
    String yaml = "upstream: http://127.0.0.1:8080\nidentities: {client: ip}\n";
    Settings settings = accept(yaml + "rules:\n  - {id: a, limit: 1/1s}\n");
    BudgetSpec budget = settings.rules().rules().get(0).budgets().get(0);
    assertTrue(budget.key().part(0).isNamed("client"));
  }

  /** Every form of a cost that is known at the end, and of slots. */
  @Test
  void readsWhatRequestsHold() {
    Settings settings =
        accept(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - id: a
                cost: {response: {trailer: X-Tokens}, reserve: {header: x-max, max: 50}}
                limits:
                  - {name: t, limit: 90/1m}
                  - {name: h, limit: 91/1m, cost: {response: {header: x-n}, reserve: 7, missing: 0}}
                  - {name: b, limit: 92/1m, cost: {response: {bytes: 1KiB}, reserve: learn}}
                  - {name: s, limit: 93/1m, cost: {response: {status: [401, NOT_FOUND]}}}
                  - {name: n, limit: 94/1m, cost: {response: {body-number: a.n}, missing: reserve}}
                  - {name: r, limit: 95/1m, cost: {request-bytes: 1MiB}}
                  - {name: m, limit: 96/1m, cost: 2}
                  - {name: c, concurrency: 4, key: all}
            """);
    RuleSpec rule = settings.rules().rules().get(0);
    assertEquals(
        List.of(
            "TRAILER x-tokens reserve learn or header:x-max up to 50",
            "HEADER x-n reserve 7 missing 0",
            "RESPONSE_BYTES 1024 reserve learn",
            "STATUS {401} {5} reserve 1",
            "BODY_NUMBER a.n reserve learn",
            "1048576B a unit, otherwise REQUEST_BYTES 1048576 reserve learn",
            "2",
            "0"),
        rule.budgets().stream().map(budget -> budget.cost().toString()).toList());
    assertEquals(4, rule.budgets().get(7).concurrency());
    assertTrue(rule.holds());
  }

  @Test
  void warnsOfHeldUnitsThatDoNotDrain() {
    assertEquals(
        "weir.yaml:3: rules[0].limit: warning: units that requests hold do not come back until"
            + " they end: over a window of 1h use fixed-window",
        warnings(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - {id: a, match: {path: /a}, limit: 9/1h, cost: {response: {header: x-n}}}
              - {id: b, match: {path: /b}, limit: 9/59m, cost: {response: {header: x-n}}}
              - {id: c, limit: 9/1h, algorithm: fixed-window, cost: {response: {header: x-n}}}
            """));
  }

  @Test
  void warnsOfRequestsThatWaitLongForASlotOfTheFleet() {
    String rules =
        """
        upstream: http://127.0.0.1:8080
        service: shop
        redis: {nodes: [127.0.0.1:6379], deadline: %s}
        rules:
          - {id: a, limit: 10/1m, mode: exact, concurrency: 4%s}
        """;
    String text =
        "weir.yaml:3: redis.deadline: warning: while the store is slow, requests wait so long for a"
            + " slot of concurrency, and pile up: 50ms is enough";
    assertEquals(text, warnings(rules.formatted("51ms", "")));
    assertEquals("", warnings(rules.formatted("50ms", "")));
    assertEquals(
        "", warnings(rules.formatted("51ms", ", action: limit").replace("exact", "local")));
  }

  @Test
  void warnsOfCallsWhoseLengthIsSeldomTold() {
    assertEquals(
        "weir.yaml:7: rules[0].limits[1].cost.request-bytes: warning: gRPC calls seldom tell their length;"
            + " those that do not cost the default",
        warnings(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - id: a
                match: {grpc: shop.Cart}
                limits:
                  - {limit: 10/1s}
                  - {limit: 10/1m, cost: {request-bytes: 1KiB, default: 2}}
            """));
  }

  @Test
  void theExampleSaysTheDefaults() throws IOException {
    Settings example = accept(Files.readString(EXAMPLE));
    Settings defaults =
        accept(
            "upstream: http://127.0.0.1:8080\nevent-loops: 2\n"
                + "trusted-proxies: [10.0.0.0/8, 'fd00::/8']");
    assertEquals(defaults.upstream(), example.upstream());
    assertEquals(defaults.client(), example.client());
    assertEquals(defaults.admission(), example.admission());
    assertEquals(defaults.identity(), example.identity());
    assertEquals(defaults.process(), example.process());
    assertFalse(example.rules().ignoreCase());
  }

  @Test
  void readsEverySettingIntoItsRecord() {
    Settings settings =
        accept(
            """
            upstream: unix:/run/app.sock
            listen: "[::1]:0"
            admin: off
            event-loops: 3
            transport: nio
            latency-log: /var/log/a.hlog
            latency-log-interval: 250ms
            trusted-proxies: ["fd00::/8", 10.0.0.1]
            client-ip-header: forwarded
            ipv6-prefix: 56
            paths: {ignore-case: true}
            timeouts: {head: 1s, body: 2s, idle: 3s, write: 4s, tunnel-idle: 5s, connect: 6s,
              response: 7s, upstream-idle: 8s, drain: 9s, drain-grace: 10s,
              upstream-queue: 11s}
            caps: {head-bytes: 16KiB, fields: 50, target-bytes: 2KiB, connections: 5,
              connections-per-address: 4, upstream-connections: 3, upstream-streams: 2,
              upstream-http2-connections: 6, upstream-queue: 0}
            answers: {rate-limit: off, x-rate-limit: true}
            table: {keys: 5000, ring-keys: 50, ring-cells: 100}
            """);
    assertEquals(UnixDomainSocketAddress.of("/run/app.sock"), settings.upstream().address());
    assertEquals(Duration.ofSeconds(6).toNanos(), settings.upstream().timeouts().connectNs());
    assertEquals(Duration.ofSeconds(7).toNanos(), settings.upstream().timeouts().responseNs());
    assertEquals(Duration.ofSeconds(8).toNanos(), settings.upstream().timeouts().idleNs());
    assertEquals(Duration.ofSeconds(11).toNanos(), settings.upstream().timeouts().queueNs());
    assertEquals(new UpstreamCaps(3, 2, 6, 0), settings.upstream().caps());
    assertEquals(new InetSocketAddress("::1", 0), settings.client().listeners().get(0).address());
    assertEquals(Duration.ofSeconds(1).toNanos(), settings.client().timeouts().headNs());
    assertEquals(Duration.ofSeconds(2).toNanos(), settings.client().timeouts().bodyIdleNs());
    assertEquals(Duration.ofSeconds(3).toNanos(), settings.client().timeouts().idleNs());
    assertEquals(Duration.ofSeconds(4).toNanos(), settings.client().timeouts().writeNs());
    assertEquals(Duration.ofSeconds(5).toNanos(), settings.client().timeouts().tunnelIdleNs());
    assertEquals(16 << 10, settings.client().caps().headBytes());
    assertEquals(50, settings.client().caps().fieldCount());
    assertEquals(2 << 10, settings.client().caps().targetBytes());
    assertEquals(5, settings.client().caps().connections());
    assertEquals(4, settings.client().caps().connectionsPerAddress());
    assertFalse(settings.client().answers().rateLimit());
    assertTrue(settings.client().answers().xRateLimit());
    assertEquals(5000, settings.admission().tableKeyCount());
    assertEquals(50, settings.admission().ringKeyCount());
    assertEquals(128, settings.ringCells());
    assertEquals(ClientIpField.FORWARDED, settings.identity().clientIpField());
    assertEquals(56, settings.identity().ipv6Prefix());
    assertEquals("[fd00::/8, 10.0.0.1/32]", settings.identity().trustedProxies().toString());
    assertEquals(null, settings.process().admin());
    assertEquals(3, settings.process().eventLoopCount());
    assertEquals(TransportKind.NIO, settings.process().transport());
    assertEquals(Duration.ofSeconds(9).toNanos(), settings.process().drainTimeoutNs());
    assertEquals(Duration.ofSeconds(10).toNanos(), settings.process().drainGraceNs());
    assertEquals(Path.of("/var/log/a.hlog"), settings.process().latencyLog());
    assertEquals(Duration.ofMillis(250).toNanos(), settings.process().latencyLogIntervalNs());
    assertTrue(settings.rules().ignoreCase());
  }

  @Test
  void readsEveryFieldOfARule() {
    Settings settings =
        accept(
            """
            upstream: http://app.internal:8080/
            rules:
              - id: a.b-c_1
                match: {path: "/users/{id}/*", methods: [GET, M-SEARCH]}
                key: [header:X-User-Id, "query:k k", cookie:s, ip]
                limit: 100k/30s
                burst: 2k
                cost: 3
                algorithm: token-bucket
                action: limit
                dry-run: true
                on-missing-key: refuse
                priority: -5
              - id: d
                action: deny
                match: {path: /d}
            """);
    RuleSpec rule = settings.rules().rules().get(0);
    assertEquals("a.b-c_1", rule.id());
    assertEquals("/users/{id}/*", rule.match().path().toString());
    assertEquals(List.of("GET", "M-SEARCH"), rule.match().methods());
    assertEquals("header:x-user-id,query:k k,cookie:s,ip", rule.budgets().get(0).key().toString());
    assertEquals("100000/30s", rule.budgets().get(0).limit().rate().toString());
    assertEquals(2000, rule.budgets().get(0).limit().burst());
    assertEquals(3, rule.budgets().get(0).costUnits());
    assertEquals("token-bucket", rule.budgets().get(0).limit().algorithm().toString());
    assertTrue(rule.dryRun());
    assertEquals(OnMissingKey.REFUSE, rule.onMissingKey());
    assertEquals(-5, rule.priority());
    assertEquals(RuleAction.DENY, settings.rules().rules().get(1).action());
    assertEquals(2, settings.rules().compile(RuleSet.EMPTY).rules().size());
    assertEquals(
        InetSocketAddress.createUnresolved("app.internal", 8080), settings.upstream().address());
  }

  @Test
  void readsWhatEachAlgorithmTakes() {
    Settings settings =
        accept(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - {id: q, match: {path: /q}, limit: 50/1s, algorithm: leaky-bucket, overflow: queue,
                 max-wait: 250ms, burst: 5}
              - {id: l, match: {path: /l}, limit: 50/1s, algorithm: leaky-bucket, burst: 5}
              - {id: m, match: {path: /m}, limit: 9/1month, algorithm: fixed-window, align: month,
                 time-zone: America/New_York}
              - {id: w, match: {path: /w}, limit: 9/7d, algorithm: fixed-window, align: week}
              - {id: e, match: {path: /e}, limit: 9/1h, algorithm: fixed-window}
              - {id: s, match: {path: /s}, limit: 100/1m, algorithm: sliding-log}
              - {id: c, match: {path: /c}, limit: 100/1m, algorithm: sliding-counter}
              - {id: b, match: {path: /b}, limit: 100/1m, algorithm: bucket-ring, sub-window: 250ms}
            """);
    List<LimitSpec> limits =
        settings.rules().rules().stream().map(rule -> rule.budgets().get(0).limit()).toList();
    assertEquals(Overflow.QUEUE, limits.get(0).overflow());
    assertEquals(Duration.ofMillis(250).toNanos(), limits.get(0).maxWaitNs());
    assertEquals(5, limits.get(0).capacity());
    assertEquals(null, limits.get(1).overflow());
    assertEquals(Alignment.MONTH, limits.get(2).align());
    assertEquals(ZoneId.of("America/New_York"), limits.get(2).zone());
    assertEquals(Alignment.WEEK, limits.get(3).align());
    assertEquals(
        List.of(0, 0, 0, 0, 0, 128, 0, 256), limits.stream().map(LimitSpec::cells).toList());
    assertEquals(Duration.ofMillis(250).toNanos(), limits.get(7).subWindowNs());
    assertEquals(256, settings.ringCells());
    assertEquals(8, settings.rules().compile(RuleSet.EMPTY).rules().size());
  }

  @Test
  void readsSeveralLimitsOfARuleWithTheirKeys() {
    Settings settings =
        accept(
            """
            upstream: http://127.0.0.1:8080
            redis: {nodes: "127.0.0.1:1"}
            rules:
              - id: orders
                key: header:x-user
                mode: exact
                limits:
                  - {limit: 100/1m, burst: 5}
                  - {limit: 9/1month, algorithm: fixed-window, align: month, time-zone: Asia/Tokyo}
                  - {limit: 5000/1m, key: ip, algorithm: sliding-counter}
                  - {limit: 6/1s, key: [ip, cookie:s], algorithm: bucket-ring, sub-window: 500ms}
                cost: 2
              - {id: one, match: {path: /one}, limits: [{limit: 5/1s, key: cookie:s,
                 algorithm: leaky-bucket, overflow: queue, max-wait: 2s}]}
            """);
    List<BudgetSpec> budgets = settings.rules().rules().get(0).budgets();
    assertEquals(
        List.of("header:x-user", "header:x-user", "ip", "ip,cookie:s"),
        budgets.stream().map(budget -> budget.key().toString()).toList());
    assertEquals(5, budgets.get(0).limit().burst());
    assertEquals(ZoneId.of("Asia/Tokyo"), budgets.get(1).limit().zone());
    assertEquals("sliding-counter", budgets.get(2).limit().algorithm().toString());
    assertEquals(Duration.ofMillis(500).toNanos(), budgets.get(3).limit().subWindowNs());
    assertEquals(2, settings.ringCells());
    RuleSpec one = settings.rules().rules().get(1);
    assertEquals(Overflow.QUEUE, one.budgets().get(0).limit().overflow());
    assertEquals("cookie:s", one.budgets().get(0).key().toString());
    RuleSet compiled = settings.rules().compile(RuleSet.EMPTY);
    assertEquals(3, compiled.rules().get(0).groupCount());
  }

  @Test
  void readsWhoDecidesOnEachLimit() {
    Settings settings =
        accept(
            """
            upstream: http://127.0.0.1:8080
            redis: {nodes: "127.0.0.1:1"}
            rules:
              - id: two
                match: {path: /two}
                mode: exact
                on-store-failure: closed
                limits:
                  - {limit: 100/1m}
                  - {limit: 5/1s, mode: local}
                  - {limit: 1000/1h, on-store-failure: open}
              - {id: one, match: {path: /one}, limits: [{limit: 5/1s},
                 {limit: 6/1m, mode: exact, on-store-failure: closed}]}
            """);
    List<BudgetSpec> two = settings.rules().rules().get(0).budgets();
    assertEquals(
        List.of(Mode.EXACT, Mode.LOCAL, Mode.EXACT), two.stream().map(BudgetSpec::mode).toList());
    assertEquals(OnStoreFailure.CLOSED, two.get(0).onStoreFailure());
    assertEquals(OnStoreFailure.OPEN, two.get(2).onStoreFailure());
    List<BudgetSpec> one = settings.rules().rules().get(1).budgets();
    assertEquals(List.of(Mode.LOCAL, Mode.EXACT), one.stream().map(BudgetSpec::mode).toList());
    assertEquals(OnStoreFailure.CLOSED, one.get(1).onStoreFailure());
    assertEquals(2, settings.rules().compile(RuleSet.EMPTY).rules().get(1).groupCount());
  }

  @Test
  void followsAnchorsThatStayWithinBounds() {
    Settings settings =
        accept(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - {id: a, limit: 1/1s, match: &m {path: /a, methods: [GET]}}
              - {id: b, limit: 1/1s, priority: 1, match: *m}
            """);
    assertEquals(
        settings.rules().rules().get(0).match().path(),
        settings.rules().rules().get(1).match().path());
  }

  @Test
  void warnsOfRulesThatNothingReaches() {
    assertEquals(
        "weir.yaml:3: rules[0].match: warning: \"a\" is never reached: \"b\" on line 4 stands"
            + " before it, and takes GET /x/x1\n"
            + "weir.yaml:7: rules[4].match: warning: \"e\" is never reached: \"c\" on line 5 stands"
            + " before it, and takes POST /y",
        warnings(
            """
            upstream: http://127.0.0.1:8080
            rules:
              - {id: a, limit: 1/1s, match: {path: "/x/{id}"}}
              - {id: b, limit: 1/1s, match: {path: "/x/*"}, priority: 1}
              - {id: c, limit: 1/1s, match: {path: /y}}
              - {id: d, limit: 1/1s, match: {path: /y, methods: [GET]}}
              - {id: e, limit: 1/1s, match: {path: /y}, priority: -1}
              - {id: f, limit: 1/1s, match: {path: /y/**}}
            """));
    assertEquals(
        "weir.yaml:1: rules: warning: none: every request passes",
        warnings("upstream: http://127.0.0.1:8080"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"limit: 20/1s", "limit: 20/1s, priority: -1"})
  void aRuleForAllRequestsStandsBesideTheLimitsOfAll(String rule) {
    assertEquals(
        "",
        warnings(
            """
            upstream: http://127.0.0.1:8080
            everywhere: [{name: address, limit: 200/1s, key: ip}]
            rules:
              - {id: all, %s}
              - {id: a, limit: 1/1s, match: {path: /a}}
            """
                .formatted(rule)));
  }
}
