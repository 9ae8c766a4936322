package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A candidate beside the rules of a sidecar, over sockets. */
@Timeout(60)
class WhatIfRigTest {
  private static final String OUTCOME = "weir_what_if_requests_total{outcome=\"%s\"}";

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("candidate.yaml");
  }

  private void candidate(String rules) throws Exception {
    Files.writeString(file, "upstream: http://127.0.0.1:1\n" + rules);
  }

  private static String rules(String limit) {
    return "rules:\n  - {id: r, limit: " + limit + ", key: header:x-user-id}\n";
  }

  private Rig rig(String yaml) throws Exception {
    return Rig.ofFile(Rig.preferredTransport(), yaml + "what-if: {file: " + file + "}\n");
  }

  private static void await(Rig rig, String outcome, double count) {
    rig.await(OUTCOME.formatted(outcome), count);
  }

  private static String get(Rig rig, String path) throws Exception {
    try (RawClient admin = new RawClient(new InetSocketAddress("127.0.0.1", rig.adminPort()))) {
      return admin.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").read().body();
    }
  }

  /** What a command answers. */
  private static String weir(String... args) {
    StringWriter out = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(out));
    assertEquals(0, commandLine.execute(args));
    return out.toString();
  }

  @Test
  void decidesOnRequestsOfEachWayAndChangesNone() throws Exception {
    candidate(rules("1/365d"));
    try (Rig rig = rig(FourWays.SETTINGS + rules("3/365d"));
        FourWays ways = new FourWays(rig)) {
      List<FourWays.Way> all = ways.all();
      for (int way = 0; way < all.size(); way++) {
        for (int i = 0; i < 3; i++) {
          assertEquals("", all.get(way).ask("/", "user-" + way));
        }
      }
      await(rig, "only_then", 4 * 2);
      await(rig, "both_pass", 4);
      assertEquals("r", all.get(0).ask("/", "user-0"), "the rules in use refuse");
      await(rig, "both_refuse", 1);
      assertEquals(
          13,
          rig.metric("weir_decisions_total{outcome=\"allowed\",rule=\"r\"}")
              + rig.metric("weir_decisions_total{outcome=\"refused\",rule=\"r\"}")
              + rig.metric("weir_decision_checks_total{outcome=\"allowed\",rule=\"r\"}"),
          "the candidate's decisions are not counted as decisions");
    }
  }

  @Test
  void showsATableAndJson() throws Exception {
    candidate(rules("1/365d"));
    try (Rig rig =
            new Rig(
                Rig.preferredTransport(),
                "--admin",
                "127.0.0.1:0",
                "--limit",
                "5/365d",
                "--key",
                "header:x-user-id",
                "--what-if.file",
                file.toString());
        RawClient client = rig.connect()) {
      String request = "GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: anne <b>\r\n\r\n";
      for (int i = 0; i < 3; i++) {
        assertEquals(200, client.send(request).read().status());
      }
      String text = weir("what-if", "--admin", "127.0.0.1:" + rig.adminPort());
      assertEquals(get(rig, "/what-if"), text);
      assertTrue(text.matches("Since \\S+, 100% of the identities.\n(?s:.*)"), text);
      assertTrue(
          text.endsWith(
              """
              Requests, by who refuses them

              rule now  rule then  both pass  both refuse  only now  only then
              default   r                  1            0         0          2

              Identities that differ most, at least so often

              rule now  rule then  identity      only now  only then
              default   r          anne%20%3Cb%3E         0          2
              """
                  .replace("identity      only", "identity        only")),
          text);
      String json = weir("what-if", "--output", "json", "--admin", "localhost:" + rig.adminPort());
      assertEquals(
          "\"sample\":\"100%\",\"is_latest\":true,\"rules\":[{\"now\":\"default\",\"then\":\"r\","
              + "\"both_pass\":1,\"both_refuse\":0,\"only_now\":0,\"only_then\":2,"
              + "\"identities\":[{\"identity\":\"anne%20%3Cb%3E\",\"only_now\":0,\"only_then\":2}]}]}\n",
          json.substring(json.indexOf("\"sample\"")));
      assertTrue(get(rig, "/what-if?format=html").contains("one of text, json"));
    }
  }

  @Test
  void aBadCandidateIsToldAndTheRulesGoOn() throws Exception {
    try (Rig rig = rig(rules("2/365d"));
        RawClient client = rig.connect()) {
      assertEquals(0, rig.metric("weir_what_if_last_reload_successful"), "no file");
      assertEquals(List.of(200, 200, 429), statuses(client, 3));
      candidate(rules("1/365d"));
      rig.sidecar.reload();
      rig.awaitLoops();
      assertEquals(List.of(429), statuses(client, 1));
      await(rig, "only_now", 1);
      candidate("rules:\n  - {id: r, limit: none}\n");
      rig.sidecar.reload();
      assertEquals(0, rig.metric("weir_what_if_last_reload_successful"));
      assertEquals(List.of(429), statuses(client, 1));
      await(rig, "both_refuse", 1);
    }
  }

  @Test
  void aReloadOfEitherBeginsTheCountsAnewAndNoneOfTheOthersBudgets() throws Exception {
    candidate(rules("2/365d"));
    try (Rig rig =
            new Rig(
                Rig.preferredTransport(),
                "--admin",
                "127.0.0.1:0",
                "--limit",
                "1/365d",
                "--key",
                "header:x-user-id",
                "--what-if.file",
                file.toString());
        RawClient client = rig.connect()) {
      assertEquals(List.of(200, 429), statuses(client, 2));
      await(rig, "only_now", 1);
      rig.publish(rules("3/365d").replace("id: r", "id: default"));
      assertTrue(get(rig, "/what-if").endsWith("only then\n"), get(rig, "/what-if"));
      assertEquals(List.of(200, 200, 429), statuses(client, 3));
      await(rig, "only_then", 2);
      await(rig, "both_refuse", 1);
      candidate(rules("1/365d"));
      rig.sidecar.reload();
      rig.awaitLoops();
      assertEquals(List.of(429), statuses(client, 1));
      await(rig, "only_now", 2);
    }
  }

  @Test
  void theBansOfACandidateBanNobody() throws Exception {
    candidate(rules("1/365d").replace("limit:", "ban: {after: 2/1h, for: [1h]}, limit:"));
    try (Rig rig = rig(rules("9/365d"));
        RawClient client = rig.connect()) {
      assertEquals(List.of(200, 200, 200, 200), statuses(client, 4));
      await(rig, "only_then", 3);
      assertEquals(0, rig.metric("weir_bans_total"));
      assertEquals(0, rig.metric("weir_what_if_uncompared_total"));
    }
  }

  @Test
  void theBansOfACandidateEndWithIt() throws Exception {
    String banning = rules("1/365d").replace("limit:", "ban: {after: 2/1h, for: [1h]}, limit:");
    candidate(banning);
    try (Rig rig = rig(rules("99/365d"));
        RawClient client = rig.connect()) {
      statuses(client, 4);
      await(rig, "only_then", 3);
      candidate(banning.replace("1/365d", "2/365d"));
      rig.sidecar.reload();
      rig.awaitLoops();
      statuses(client, 2);
      await(rig, "both_pass", 1 + 2);
      statuses(client, 2);
      await(rig, "only_then", 3 + 2);
      candidate(banning.replace("1/365d", "4/365d"));
      rig.sidecar.reload();
      rig.awaitLoops();
      statuses(client, 4);
      await(rig, "both_pass", 1 + 2 + 4);
    }
  }

  @Test
  void theRulesOfACandidateCanAskForNothingThatTheProcessDoesNotHave() throws Exception {
    candidate(
        "redis: {nodes: ['127.0.0.1:1']}\nservice: a\n"
            + rules("1/365d").replace("key:", "mode: exact, key:"));
    try (Rig rig = rig(rules("9/365d"));
        RawClient client = rig.connect()) {
      assertEquals(0, rig.metric("weir_what_if_last_reload_successful"));
      assertEquals(List.of(200), statuses(client, 1));
    }
  }

  private static List<Integer> statuses(RawClient client, int count) throws Exception {
    Integer[] statuses = new Integer[count];
    for (int i = 0; i < count; i++) {
      statuses[i] =
          client.send("GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: u\r\n\r\n").read().status();
    }
    return List.of(statuses);
  }
}
