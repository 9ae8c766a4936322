package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an ACL user of Redis must be allowed for records: what docs/fleet.md says, and no less. */
@Timeout(60)
class RecordAccessIT {
  private static final Author ANN = new Author("ann", "10.0.0.1", "r1", "");
  private static final RecordName RULE = new RecordName(Kind.RULE, "r");
  private static final RecordName USER = new RecordName(Kind.USER, "u");

  @TempDir Path folder;

  /** Those of each block of text in the section. */
  private static List<List<String>> permissions() throws Exception {
    String page = Files.readString(ManualPage.root().resolve("docs/fleet.md"));
    int from = page.indexOf("### An ACL user");
    Matcher block =
        Pattern.compile("```text\n(.*?)```", Pattern.DOTALL)
            .matcher(page.substring(from, page.indexOf("\n##", from + 4)));
    List<List<String>> blocks = new ArrayList<>();
    while (block.find()) {
      blocks.add(List.of(block.group(1).trim().split("\\s+")));
    }
    return blocks;
  }

  /** All that the API does with records. */
  private static void useAll(RecordStore store) throws Exception {
    store.writeRules(
        null, List.of(new RecordWrite(RULE, null, "{\"id\":\"r\",\"limit\":\"5/1m\"}")), ANN);
    assertEquals(1, store.rules().records().size());
    RecordVersion of = store.writeUser(new RecordWrite(USER, null, "{}"), ANN);
    store.writeUser(new RecordWrite(USER, of, "{\"tier\":\"free\"}"), ANN);
    assertEquals(1, store.users(null, 10).users().size());
    store.writeUser(new RecordWrite(USER, null, null), ANN);
    store.note("reset", USER, ANN);
    store.audit(new AuditQuery(null, null, null, null, null, 10));
    store.isCopied(List.of(RULE));
    store.sidecars();
  }

  @Test
  void needsWhatTheManualSaysAndNoLess() throws Exception {
    List<List<String>> permissions = permissions();
    assertEquals(2, permissions.size());
    List<String> rules = new ArrayList<>(List.of("on", ">secret"));
    permissions.forEach(rules::addAll);
    try (LogLines log = new LogLines();
        RedisServer redis =
            RedisServer.on(RedisKind.EMBEDDED.binary())
                .user("weir", rules.toArray(String[]::new))
                .start();
        Rig rig =
            Rig.ofFile(
                "nio",
                "service: shop\nredis: {nodes: "
                    + Fleet.node(redis)
                    + ", username: weir, password-file: "
                    + Files.writeString(folder.resolve("password"), "secret")
                    + ", deadline: 1s}\nrecords: {store: redis}\nrules: []\n")) {
      RecordStore store = rig.sidecar.records().store();
      useAll(store);
      Await.until("followed", () -> rig.sidecar.records().rules().isPresent());
      redis.text("ACL", "SETUSER", "weir", "-xrange");
      useAll(store);
      Await.until("told", () -> !log.with("WARN", "counting", "can't run this command").isEmpty());
      redis.text("ACL", "SETUSER", "weir", "+xrange");
      List<String> needed = new ArrayList<>(permissions.get(1));
      needed.removeAll(List.of("+xrange", "+wait")); // without wait a write says less
      for (String permission : needed) {
        redis.text("ACL", "SETUSER", "weir", "-" + permission.substring(1));
        String fault =
            assertThrows(RecordStoreException.class, () -> useAll(store), permission).getMessage();
        assertTrue(fault.contains("permission") || fault.contains("run this command"), fault);
        redis.text("ACL", "SETUSER", "weir", permission);
      }
      useAll(store);
    }
  }
}
