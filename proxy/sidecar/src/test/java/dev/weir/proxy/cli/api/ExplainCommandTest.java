package dev.weir.proxy.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.token.TestTokens;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code weir explain} of settings files; {@code ExplainIT} asks running sidecars. */
@Timeout(60)
class ExplainCommandTest {
  private static final String RULES =
      """
      upstream: http://127.0.0.1:8080
      trusted-proxies: [10.0.0.0/8]
      lists: {block: [203.0.113.0/24], allow: [192.0.2.9]}
      identities:
        user: {first-of: [cookie:uid, header:x-user-id]}
      everywhere:
        - {name: address, limit: 200/1s, key: ip}
      rules:
        - id: partner
          match: {host: "*.partner.example", path: /v1/**}
          action: unlimited
        - id: chat
          match: {path: /v1/chat/**, methods: [POST], headers: {x-api-key: {prefix: ak_live_}}}
          key: user
          limits:
            - {name: rpm, limit: 60/1m}
            - {name: weight, limit: 1000/1h, cost: {header: x-cost, max: 100, default: 5}}
        - id: calls
          match: {grpc: chat.Chat}
          limit: 5/1s
          everywhere: false
        - id: api
          match: {path: /v1/**}
          key: header:x-api-key
          on-missing-key: refuse
          limit: 100/1s
        - id: closed
          match: {path: /internal/**}
          action: deny
          refusal: {status: 404}
      """;

  @TempDir private Path folder;
  private String out;
  private String err;

  private int explain(String settings, String... words) throws Exception {
    Path file = Files.writeString(folder.resolve("weir.yaml"), settings);
    List<String> line = new ArrayList<>(List.of("explain", "-c", file.toString()));
    line.addAll(List.of(words));
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(outText));
    commandLine.setErr(new PrintWriter(errText));
    int exitCode = commandLine.execute(line.toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }

  @Test
  void saysOfALineOfCurlWhichRuleItHasAndWhyAndWhatItIsCharged() throws Exception {
    String line =
        "--from 10.0.0.1 -- curl -X POST https://api.example.com/v1//chat/1?key=hidden"
            + " -H x-user-id:7 -H x-api-key:ak_live_1 -H x-cost:7 -H x-forwarded-for:192.0.2.1";
    assertEquals(0, explain(RULES, line.split(" ")), err);
    assertEquals(
        """
        POST /v1//chat/1, host api.example.com, from 10.0.0.1
        rules:
          partner: no, host is not *.partner.example
          chat: yes
          calls: no, grpc is not chat.Chat
          api: no, "chat" stands before it, with a more specific path
          closed: no, path is not /internal/**
        identities:
          user: HASH, from user by header:x-user-id
          ip: 192.0.2.1, from ip
        limits:
          rpm: 60/1m gcra, mode local, by user HASH
            takes 1
          weight: 1000/1h gcra, mode local, by user HASH
            takes 7
          address: 200/1s gcra, mode local, by ip 192.0.2.1, everywhere
            takes 1
        outcome: its budgets decide, which only a running sidecar knows: --admin ADDRESS asks one
        """,
        out.replaceAll("#[0-9a-f]{32}", "HASH"));
  }

  @ParameterizedTest
  @CsvSource({
    "--path /v1/x,refused with 401 identity_missing",
    "--path /v1/x -H x-api-key:a -H x-api-key:b,refused with 400 identity_ambiguous",
    "--path /internal/x,refused with 404 denied",
    "--path /internal/x --from 192.0.2.9,passes without a limit: the address is on lists.allow",
    "--path /v1/x --from 203.0.113.7,refused with 403 address_blocked",
    "http://a.partner.example/v1/x,its budgets decide",
    "--grpc chat.Chat/Say,its budgets decide",
  })
  void saysWhatIsDecidedBeforeAnyBudget(String line, String outcome) throws Exception {
    assertEquals(0, explain(RULES, line.split(" ")), err);
    assertTrue(out.contains("\noutcome: " + outcome), out);
  }

  @ParameterizedTest
  @CsvSource({
    "--path /v1/chat/x,header x-api-key does not begin as the rule has it",
    "--path /v1/chat/x -H x-api-key:ak_live_x,method is not POST",
    "--path /v1/chat/x --method POST,header x-api-key does not begin as the rule has it",
  })
  void namesTheFirstConditionThatFailedAndNoSecret(String line, String because) throws Exception {
    assertEquals(0, explain(RULES, line.split(" ")), err);
    String expected = line.contains("POST") ? because : "method is not POST";
    assertTrue(out.contains("chat: no, " + expected + "\n"), out);
    assertFalse(out.contains("ak_live"), out);
  }

  @Test
  void saysWhatARequestHolds() throws Exception {
    String settings =
        """
        upstream: http://127.0.0.1:8080
        rules:
          - id: r
            limits:
              - {name: tpm, limit: 20k/1m, cost: {response: {trailer: x-tokens}}}
              - {name: running, concurrency: 4}
        """;
    assertEquals(0, explain(settings, "--path", "/"), err);
    assertTrue(
        out.contains(
            """
            limits:
              tpm: 20000/1m gcra, mode local, by ip 127.0.0.1
                holds 1250 until it ends
              running: 4 at a time, mode local, by ip 127.0.0.1
                holds 1 until it ends
            """),
        out);
    assertEquals(0, explain(settings, "--output", "json", "--path", "/"), err);
    assertTrue(out.contains("\"limit\" : \"4 at a time\""), out);
    assertTrue(out.contains("\"held\" : true"), out);
  }

  @Test
  void saysWhyATokenIsNotAnIdentity() throws Exception {
    PublicJsonWebKey key = TestTokens.key("P-256", "first");
    Path keys = Files.writeString(folder.resolve("jwks.json"), TestTokens.keySet(key));
    String settings =
        "upstream: http://127.0.0.1:8080\njwt: {keys: %s}\nrules: [{id: r, key: \"jwt:sub\", limit: 2/1h}]\n"
            .formatted(keys);
    String good = TestTokens.token(key, "ES256", "{\"exp\":99999999999,\"sub\":\"ann\"}");
    assertEquals(0, explain(settings, "--", "curl", "--oauth2-bearer", good, "http://a"), err);
    assertTrue(out.contains("  jwt:sub: ann, from jwt:sub of a verified token\n"), out);
    String old = TestTokens.token(key, "ES256", "{\"exp\":1,\"sub\":\"ann\"}");
    assertEquals(0, explain(settings, "-H", "authorization: Bearer " + old), err);
    assertTrue(out.contains("  jwt:sub: token_expired\n"), out);
    assertTrue(out.contains("outcome: refused with 401 token_expired\n"), out);
    assertEquals(0, explain(settings), err);
    assertTrue(out.contains("from ip in the place of jwt:sub, which is missing\n"), out);
    assertFalse(out.contains(good) || out.contains(old), out);
  }

  @Test
  void writesJsonThatParsesWhateverTheNames() throws Exception {
    String settings =
        "upstream: http://127.0.0.1:8080\nrules: [{id: r, match: {headers: {x-e: \"a\\\"b\\\\c\"}}, limit: 2.5/1h,"
            + " algorithm: token-bucket, cost: 0.5}]\n";
    assertEquals(0, explain(settings, "--output", "json"), err);
    assertTrue(
        out.contains("\"because\" : \"header x-e is absent\"") || out.contains("a\\\"b"), out);
    try (JsonParser json = new JsonFactory().createParser(out)) {
      while (json.nextToken() != null) {
        // reads to its end
      }
    }
    assertEquals(0, explain(settings, "--output", "json", "-H", "x-e: a\"b\\c"), err);
    assertTrue(out.contains("\"rule\" : \"r\""), out);
    assertTrue(out.contains("\"cost\" : 0.5"), out);
  }

  @ParameterizedTest
  @CsvSource({
    "--output yaml,--output: unknown (expected: table or json)",
    "--path a,path: malformed",
    "--path /%00,'request: 400 ambiguous_path, before any rule'",
    "--path /ü,'request: 400 malformed_target, before any rule'",
    "--from here,from: no address",
    "--from 10.0.0.0/8,from: no address",
    "--grpc chat,grpc: no method",
    "--grpc chat.Chat/Say --path /a,grpc: beside a path or a method",
    "-H x,header: malformed",
    "-H 'x y:z','request: 400 malformed_field, before any rule'",
    "--host a/b,'request: 400 malformed_host, before any rule'",
    "/a /b,URL: more than one",
    "-- curl --proxy x http://a,curl --proxy: not known here",
  })
  void saysWhatIsWrongWithADescription(String line, String fault) throws Exception {
    List<String> words = new ArrayList<>();
    for (String word : line.split(" (?=([^']*'[^']*')*[^']*$)")) {
      words.add(word.replace("'", ""));
    }
    assertEquals(2, explain(RULES, words.toArray(String[]::new)));
    assertEquals("", out);
    assertTrue(err.startsWith(fault), err);
  }

  @Test
  void takesNoWordsFromAFileThatALineOfCurlNames() throws Exception {
    Path body = Files.writeString(folder.resolve("body.txt"), "x -XDELETE");
    assertEquals(2, explain(RULES, "--", "curl", "http://a/v1/x", "-d", "@" + body));
    assertEquals("", out);
    assertTrue(err.startsWith("curl -d: a file, which is not read here"), err);
  }

  @Test
  void boundsWhatIsShownOfManyRules() throws Exception {
    StringBuilder rules = new StringBuilder("upstream: http://127.0.0.1:8080\nrules:\n");
    for (int i = 0; i < 1000; i++) {
      rules
          .append("  - {id: r")
          .append(i)
          .append(", match: {path: /")
          .append(i)
          .append("}, limit: 1/1s}\n");
    }
    assertEquals(0, explain(rules.toString(), "--path", "/999"), err);
    assertTrue(out.contains("  r999: yes\n  and 999 more, most of other hosts or paths\n"), out);
  }

  @Test
  void namesTheAddressAtWhichNoSidecarAnswers() throws Exception {
    StringWriter errText = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setErr(new PrintWriter(errText));
    assertEquals(5, commandLine.execute("explain", "--admin", "127.0.0.1:1", "--path", "/a"));
    assertTrue(
        errText.toString().startsWith("127.0.0.1:1: Connection refused"), errText.toString());
    assertEquals(2, commandLine.execute("explain", "--admin", "here", "--path", "/a"));
    assertTrue(
        errText.toString().contains("--admin: here (expected: host:port"), errText.toString());
  }
}
