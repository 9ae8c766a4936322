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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleReloadTest {
  private static final String FIRST = file("a", "10/1m");
  private static final String SECOND = file("b", "10/1m");

  @TempDir private Path directory;
  private final List<RuleSet> published = new ArrayList<>();
  private Path path;

  private static String file(String id, String limit) {
    return "upstream: http://127.0.0.1:8080\nrules:\n  - {id: " + id + ", limit: " + limit + "}\n";
  }

  @BeforeEach
  void writeFile() throws IOException {
    path = directory.resolve("weir.yaml");
    Files.writeString(path, FIRST);
  }

  private RuleReload reload() {
    Settings settings = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
    return new RuleReload(path, settings, settings.rules().compile(RuleSet.EMPTY), published::add);
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
    RuleSet first = settings.rules().compile(RuleSet.EMPTY);
    RuleReload reload =
        new RuleReload(
            path,
            settings,
            first,
            rules -> {
              throw new OutOfMemoryError("of this test");
            });
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
    RuleReload reload =
        new RuleReload(path, settings, settings.rules().compile(RuleSet.EMPTY), published::add);
    reload.poll();
    assertEquals("[b]", ids(reload.current()));
  }

  @Test
  void watchesByItself() throws Exception {
    Settings settings = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
    BlockingQueue<RuleSet> seen = new LinkedBlockingQueue<>();
    RuleSet first = settings.rules().compile(RuleSet.EMPTY);
    try (RuleReload reload = new RuleReload(path, settings, first, seen::add)) {
      reload.start();
      Files.writeString(path, SECOND);
      RuleSet next = seen.poll(30, TimeUnit.SECONDS);
      assertEquals("[b]", ids(next));
    }
  }
}
