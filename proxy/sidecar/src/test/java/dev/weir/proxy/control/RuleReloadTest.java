package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleReloadTest {
  private static final String FIRST = file("a", "10/1m");
  private static final String SECOND = file("b", "10/1m");

  @TempDir private Path directory;
  private final List<RuleSet> published = new ArrayList<>();
  private Path path;

  /** The rules of a process. */
  private static final class InUse implements RulesInUse {
    private final Consumer<RuleSet> listener;
    private RuleSet rules;

    InUse(Settings settings, Consumer<RuleSet> listener) {
      this.listener = listener;
      rules = settings.rules().compile(RuleSet.EMPTY);
    }

    @Override
    public synchronized RuleSet rules() {
      return rules;
    }

    @Override
    public synchronized RuleSet change(UnaryOperator<RuleSet> change) {
      rules = change.apply(rules);
      listener.accept(rules);
      return rules;
    }

    @Override
    public void use(ListSettings lists) {}
  }

  private static String file(String id, String limit) {
    return "upstream: http://127.0.0.1:8080\nrules:\n  - {id: " + id + ", limit: " + limit + "}\n";
  }

  @BeforeEach
  void writeFile() throws IOException {
    path = directory.resolve("weir.yaml");
    Files.writeString(path, FIRST);
  }

  private RuleChoice choice(Settings settings) {
    return choice(settings, new InUse(settings, published::add));
  }

  private static RuleChoice choice(Settings settings, RulesInUse inUse) {
    RuleChoice choice = new RuleChoice(inUse, settings.rules());
    choice.begin();
    return choice;
  }

  private RuleReload reload() {
    Settings settings = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
    return new RuleReload(path, settings, choice(settings));
  }

  private static String ids(RuleSet set) {
    return set.rules().toString();
  }

  @Test
  void publishesAChangeSeenTwice() throws IOException {
    RuleReload reload = reload();
    reload.poll();
    reload.poll();
    assertEquals(List.of(), published);
    Files.writeString(path, SECOND);
    reload.poll();
    assertEquals(List.of(), published);
    reload.poll();
    reload.poll();
    assertEquals(1, published.size());
    assertEquals("[b]", ids(published.get(0)));
    assertSame(published.get(0), reload.current());
    assertEquals(1, reload.reloads().takenCount());
  }

  @Test
  void takesNoHalfFileForAWholeOne() throws IOException {
    RuleReload reload = reload();
    String whole = SECOND + "  - {id: c, limit: 1/1s, match: {path: /c}}\n";
    for (int length = SECOND.length(); length < whole.length(); length += 5) {
      Files.writeString(path, whole.substring(0, length));
      reload.poll();
    }
    Files.writeString(path, whole);
    reload.poll();
    reload.poll();
    assertEquals(1, published.size());
    assertEquals("[b, c]", ids(published.get(0)));
  }

  @Test
  void followsAnEditorsRename() throws IOException {
    RuleReload reload = reload();
    Path other = Files.writeString(directory.resolve(".weir.yaml.swp"), SECOND);
    Files.move(other, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    reload.poll();
    reload.poll();
    assertEquals("[b]", ids(reload.current()));
  }

  @Test
  void followsTheFilesOfAnswersToRefusals() throws IOException {
    Path body = Files.writeString(directory.resolve("slow.html"), "one");
    String refusal = "refusal: {bodies: {text/html: 'file:" + body + "'}}\n";
    Files.writeString(path, FIRST + refusal);
    RuleReload reload = reload();
    reload.poll();
    reload.poll();
    assertEquals("[]", published.toString());
    Files.writeString(body, "two");
    reload.poll();
    assertEquals("[]", published.toString());
    reload.poll();
    reload.poll();
    assertEquals(1, published.size());
    assertEquals("two", body(published.get(0)));
    Files.delete(body);
    reload.poll();
    reload.poll();
    assertEquals(1, reload.reloads().rejectedCount());
    assertEquals("two", body(reload.current()));
    Files.writeString(body, "three");
    reload.poll();
    reload.poll();
    assertEquals("three", body(reload.current()));

    Path other = Files.writeString(directory.resolve("other.html"), "four");
    Files.writeString(path, FIRST + refusal.replace(body.toString(), other.toString()));
    for (int i = 0; i < 5; i++) {
      reload.poll();
    }
    assertEquals("four", body(reload.current()));
    assertEquals(3, reload.reloads().takenCount());
  }

  private static String body(RuleSet rules) {
    return rules.rules().get(0).refusal().answers().get(0).body().toString();
  }

  @Test
  void followsTheSymbolicLinkThatKubernetesSwaps() throws IOException {
    Path one = Files.createDirectory(directory.resolve("..one"));
    Path two = Files.createDirectory(directory.resolve("..two"));
    Files.writeString(one.resolve("w.yaml"), FIRST);
    Files.writeString(two.resolve("w.yaml"), SECOND);
    Path data = Files.createSymbolicLink(directory.resolve("..data"), one);
    path = Files.createSymbolicLink(directory.resolve("w.yaml"), Path.of("..data/w.yaml"));
    RuleReload reload = reload();
    Path next = Files.createSymbolicLink(directory.resolve("..data_tmp"), two);
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    reload.poll();
    reload.poll();
    assertEquals("[b]", ids(reload.current()));
  }

  @Test
  void tellsEachReasonWhyTheFileCannotBeRead() throws IOException {
    RuleReload reload = reload();
    Files.delete(path);
    for (int i = 0; i < 3; i++) {
      reload.poll();
    }
    assertEquals(1, reload.reloads().rejectedCount());
    Files.createDirectory(path);
    for (int i = 0; i < 3; i++) {
      reload.poll();
    }
    assertEquals(2, reload.reloads().rejectedCount());
  }

  @Test
  void keepsTheLastGoodSetWhileTheFileHasFaultsOrIsGone() throws IOException {
    RuleReload reload = reload();
    RuleSet first = reload.current();
    Files.writeString(path, file("b", "0/1m"));
    for (int i = 0; i < 5; i++) {
      reload.poll();
    }
    assertEquals(1, reload.reloads().rejectedCount());
    Files.delete(path);
    for (int i = 0; i < 5; i++) {
      reload.poll();
    }
    assertEquals(2, reload.reloads().rejectedCount());
    assertFalse(reload.reloads().isLastTaken());
    assertSame(first, reload.current());
    assertEquals(List.of(), published);
    Files.writeString(path, SECOND);
    reload.poll();
    reload.poll();
    assertEquals("[b]", ids(reload.current()));
    assertTrue(reload.reloads().isLastTaken());
  }

  @Test
  void countsAsRejectedWhatCannotBePublished() throws IOException {
    Settings settings = new SettingsFile().read(path, Faults.ofFile(path.toString()));
    InUse inUse =
        new InUse(
            settings,
            rules -> {
              throw new OutOfMemoryError("of this test");
            });
    RuleReload reload = new RuleReload(path, settings, choice(settings, inUse));
    assertThrows(OutOfMemoryError.class, reload::reload);
    assertFalse(reload.reloads().isLastTaken());
  }

  @Test
  void aReloadOnRequestTellsItsFaultsAndLeavesLimitsAlone() throws IOException {
    RuleReload reload = reload();
    long seed = reload.current().rules().get(0).budgets().get(0).seed();
    assertTrue(reload.reload().isEmpty());
    assertEquals(1, published.size());
    assertEquals(seed, published.get(0).rules().get(0).budgets().get(0).seed());
    Files.writeString(path, file("a", "1/0m"));
    assertEquals(
        path + ":3: rules[0].limit: 1/0m (expected: count/window, the window 1ms or more)",
        reload.reload().toString());
    assertEquals(1, published.size());
    reload.poll();
    reload.poll();
    assertEquals(1, reload.reloads().rejectedCount());
  }

  @Test
  void refusesALimitForWhichTheRingsAreTooShort() throws IOException {
    Files.writeString(path, file("a", "100/1m, algorithm: sliding-log"));
    RuleReload reload = reload();
    Files.writeString(path, file("a", "128/1m, algorithm: sliding-log"));
    assertTrue(reload.reload().isEmpty());
    Files.writeString(path, file("a", "129/1m, algorithm: sliding-log"));
    assertEquals(
        path
            + ":3: rules[0].limit: 129/1m (expected: at most 128 cells for each key, not 256, as"
            + " there are until a restart; see table.ring-cells)",
        reload.reload().toString());
    assertEquals(128, reload.current().rules().get(0).budgets().get(0).limit().capacity());
    // Fewer are enough, none as well, and the memory stays.
    Files.writeString(path, file("a", "10/1m"));
    assertTrue(reload.reload().isEmpty());
    assertEquals(List.of(), reload.waitingForRestart());
    Files.writeString(path, file("a", "100/1m, algorithm: sliding-log"));
    assertTrue(reload.reload().isEmpty());
  }

  @Test
  void refusesTheFirstLimitWithARingUnlessThereIsRoomForIt() throws IOException {
    RuleReload reload = reload();
    Files.writeString(path, file("a", "10/1s, algorithm: bucket-ring"));
    assertTrue(reload.reload().toString().contains("at most 0 cells for each key, not 16"));
    assertEquals(List.of(), published);
    Files.writeString(path, FIRST + "table: {ring-cells: 10}\n");
    RuleReload prepared = reload();
    Files.writeString(path, file("a", "10/1s, algorithm: bucket-ring"));
    assertTrue(prepared.reload().isEmpty());
    assertEquals(List.of("table"), prepared.waitingForRestart());
  }

  /** Else such a rule would count everybody by address, as if no token were there. */
  @Test
  void refusesTheFirstKeyOfTokensWithoutKeysThatVerifyThem() throws IOException {
    RuleReload reload = reload();
    Files.writeString(path, file("a", "10/1s, key: \"jwt:sub\"") + "jwt: {keys: a.json}\n");
    assertEquals(
        path
            + ":3: rules[0].key: jwt:sub (expected: jwt.keys or jwt.keys-url to be set, which"
            + " verify tokens)",
        reload.reload().toString());
    assertEquals(List.of(), published);
  }

  /** The process trusts the proxies of its start, so such a rule would believe no header. */
  @Test
  void refusesTheFirstCostOfAHeaderWithoutTrustedProxies() throws IOException {
    RuleReload reload = reload();
    String costly = file("a", "10/1s, cost: {header: x-cost, max: 5}");
    String trusting = "trusted-proxies: [10.0.0.0/8]\n";
    Files.writeString(path, costly + trusting);
    String faults = reload.reload().toString();
    assertTrue(faults.contains("(expected: trusted-proxies, whose headers are believed)"), faults);
    assertEquals(List.of(), published);
    Files.writeString(path, FIRST + trusting);
    RuleReload trusted = reload();
    Files.writeString(path, costly);
    assertEquals("", trusted.reload().toString());
    assertEquals(List.of("trusted-proxies"), trusted.waitingForRestart());
  }

  @Test
  void saysWhatWaitsForARestart() throws IOException {
    RuleReload reload = reload();
    Files.writeString(
        path,
        SECOND
            + "listen: 127.0.0.1:8009\nadmin: off\nmonitoring: 127.0.0.1:9091\nevent-loops: 77\ntransport: nio\n"
            + "latency-log: a.hlog\nlatency-log-interval: 5s\n"
            + "timeouts: {drain: 1s}\ncaps: {fields: 5}\nanswers: {x-rate-limit: true}\n"
            + "table: {keys: 2000}\ntrusted-proxies: [10.0.0.0/8]\nipv6-prefix: 48\n"
            + "client-ip-header: forwarded\n");
    assertTrue(reload.reload().isEmpty());
    assertEquals(
        List.of(
            "listen",
            "admin",
            "monitoring",
            "event-loops",
            "transport",
            "latency-log",
            "latency-log-interval",
            "timeouts",
            "caps",
            "answers",
            "table",
            "trusted-proxies",
            "client-ip-header",
            "ipv6-prefix"),
        reload.waitingForRestart());
    assertEquals("[b]", ids(reload.current()));
    Files.writeString(path, SECOND.replace("8080", "8081"));
    assertTrue(reload.reload().isEmpty());
    assertEquals(List.of("upstream"), reload.waitingForRestart());
  }

  @Test
  void noticesAChangeBetweenStartAndWatch() throws IOException {
    Settings settings = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
    Files.writeString(path, SECOND);
    RuleReload reload = new RuleReload(path, settings, choice(settings));
    reload.poll();
    assertEquals("[b]", ids(reload.current()));
  }

  @Test
  void refusesAChangeBetweenWholeNumbersAndDecimalsInTheStoreAtItsLine() throws IOException {
    String head =
        "upstream: http://127.0.0.1:8080\nservice: a\nredis: {nodes: [127.0.0.1:1]}\nrules:\n";
    String bucket = ", algorithm: token-bucket}\n";
    Files.writeString(
        path,
        head
            + "  - {id: a, mode: exact, limit: 10/1h"
            + bucket
            + "  - {id: b, match: {path: /b}, mode: exact, limit: 1.5/1h"
            + bucket
            + "  - {id: c, match: {path: /c}, limit: 1.5/1h"
            + bucket);
    RuleReload reload = reload();
    Files.writeString(
        path,
        head
            + "  - {id: a, mode: exact, limit: 10/1h, cost: 1.5"
            + bucket
            + "  - {id: b, match: {path: /b}, mode: leased, limit: 2/1h"
            + bucket
            + "  - {id: c, match: {path: /c}, limit: 2/1h"
            + bucket);
    String begins =
        "decimals in limit, burst and cost, as until now: what was used would be forgotten;"
            + " a restart begins anew)";
    assertEquals(
        "weir.yaml:5: rules[0].limit: 10/1h (expected: no "
            + begins
            + "\nweir.yaml:6: rules[1].limit: 2/1h (expected: "
            + begins,
        reload.reload().toString().replace(path.toString(), "weir.yaml"));
  }

  @Test
  void refusesAChangeBetweenThisNodeAndTheStoreAtItsLine() throws IOException {
    String head =
        "upstream: http://127.0.0.1:8080\nservice: a\nredis: {nodes: [127.0.0.1:1]}\nrules:\n";
    Files.writeString(
        path,
        head
            + "  - {id: a, limit: 10/1h}\n"
            + "  - {id: b, match: {path: /b}, limits: [{limit: 10/1h, mode: exact}, {limit: 9/1d}]}\n"
            + "  - {id: c, match: {path: /c}, limit: 10/1h, mode: exact}\n");
    RuleReload reload = reload();
    Files.writeString(
        path,
        head
            + "  - {id: a, limit: 10/1h, mode: leased}\n"
            + "  - {id: b, match: {path: /b}, limits: [{limit: 8/1d}, {limit: 10/2h}]}\n"
            + "  - {id: c, match: {path: /c}, limit: 10/1h, mode: leased}\n");
    List<Faults.Fault> faults = reload.reload().all();
    assertEquals(2, faults.size(), faults.toString());
    String begins = "; a restart begins anew)";
    assertEquals(
        path
            + ":5: rules[0].mode: leased (expected: local, as until now: what was used would be"
            + " forgotten"
            + begins,
        faults.get(0).toString());
    assertEquals(
        path
            + ":6: rules[1].limits[1].mode: local (expected: exact, as until now: what was used would"
            + " be forgotten"
            + begins,
        faults.get(1).toString());
    assertEquals(List.of(), published);
  }

  @Test
  void takesALimitOfThisNodeAwayBesideOneOfTheStoreThatChanges() throws IOException {
    String head =
        "upstream: http://127.0.0.1:8080\nservice: a\nredis: {nodes: [127.0.0.1:1]}\nrules:\n";
    Files.writeString(
        path, head + "  - {id: a, limits: [{limit: 10/1s}, {limit: 99/1h, mode: exact}]}\n");
    RuleReload reload = reload();
    Files.writeString(path, head + "  - {id: a, mode: exact, limit: 99/2h}\n");
    assertEquals(List.of(), reload.reload().all());
  }

  @Test
  void watchesByItself() throws Exception {
    Settings settings = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
    BlockingQueue<RuleSet> seen = new LinkedBlockingQueue<>();
    InUse inUse = new InUse(settings, seen::add);
    try (RuleReload reload =
        new RuleReload(path, settings, new RuleChoice(inUse, settings.rules()))) {
      reload.start();
      Files.writeString(path, SECOND);
      RuleSet next = seen.poll(30, TimeUnit.SECONDS);
      assertEquals("[b]", ids(next));
    }
  }

  /** Its rules would be decided by nobody until a restart. */
  @Test
  void keepsTheRulesIfNewOnesNeedAStoreThatTheProcessDoesNotHave() throws IOException {
    RuleReload reload = reload();
    Files.writeString(
        path,
        "upstream: http://127.0.0.1:8080\nservice: a\nredis: {nodes: [127.0.0.1:1]}\n"
            + "rules:\n  - {id: a, limit: 10/1m}\n  - {id: b, match: {path: /b}, limit: 1/1s,"
            + " mode: exact}\n");
    assertEquals(
        path
            + ":6: rules[1].mode: exact (expected: local, or redis.nodes to be set at the start:"
            + " there is no store until a restart)",
        reload.reload().toString());
    assertEquals(List.of(), published);
  }
}
