package dev.weir.proxy.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(60)
class ApiCommandsTest {
  private static final String ANN = "{'id':'ann','etag':'3-0000000c','record':{'tier':'free'}}";

  @TempDir private Path folder;
  private ScriptedApi api;

  @BeforeEach
  void start() throws IOException {
    api = new ScriptedApi();
  }

  @AfterEach
  void stop() {
    api.close();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("file"), text.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({
    "400,1", "404,1", "422,1", "401,3", "403,3", "421,3", "409,4", "412,4", "428,4", "429,5",
    "500,5", "503,5",
  })
  void theExitCodeTellsAScriptWhatToDo(int status, int exitCode) {
    api.answers(status, null, "{'title':'T','detail':'Why.'}");
    assertEquals(exitCode, api.run("users", "get", "ann"));
    assertEquals("", api.out);
    assertFalse(api.err.isBlank());
  }

  @Test
  void saysNoMoreOfAFaultThanTheApi() {
    api.answers(422, null, "{'detail':'No.','errors':[{'pointer':'/a','found':'too many'}]}");
    assertEquals(1, api.run("users", "get", "ann"));
    assertEquals("422: No.\n  /a: too many\n", api.err);
  }

  @Test
  void theExitCodeTellsThatNobodyListens() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertEquals(5, api.runAt("127.0.0.1:" + port, "users", "get", "ann"));
    assertEquals(2, api.runAt("nonsense", "users", "get", "ann"));
    assertTrue(api.err.startsWith("--admin: nonsense (expected: "), api.err);
    assertEquals(2, api.runAt(null, "users"));
    assertTrue(api.err.startsWith("Missing command (expected: get, set, "), api.err);
    assertEquals(2, api.run("users", "get"));
    assertEquals(2, api.run("users", "get", "ann", "--output", "yaml"));
  }

  @Test
  void showsEachFaultOfAProblemWithoutWhatSteersATerminal() {
    api.answers(
        422,
        null,
        "{'detail':'Not \\u001b[2Jtaken.','errors':[{'pointer':'/tier','line':3,'found':'\\u0007',"
            + "'expected':'a name'},{'pointer':'','found':'x','expected':'y'}]}");
    assertEquals(1, api.run("users", "get", "ann"));
    assertEquals(
        "422: Not \\u001B[2Jtaken.\n  line 3: /tier: \\u0007 (expected: a name)\n"
            + "  x (expected: y)\n",
        api.err);
  }

  @Test
  void anAnswerThatIsCutOffIsNone() throws Exception {
    assertEquals(
        null,
        AdminPort.Answer.read(
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab".getBytes("US-ASCII")));
    assertEquals(null, AdminPort.Answer.read("HTTP/1.1 200 OK\r\nA: b\r\n".getBytes("US-ASCII")));
    assertEquals(null, AdminPort.Answer.read("SSH-2.0\r\n\r\n".getBytes("US-ASCII")));
    assertEquals(null, AdminPort.Answer.read(new byte[0]));
    AdminPort.Answer whole =
        AdminPort.Answer.read("HTTP/1.1 204 No\r\nETag: \"1\"\r\n\r\n".getBytes("US-ASCII"));
    assertEquals(Map.of("etag", "\"1\""), whole.fields());
  }

  @Test
  void showsAUserAsATableOrAsTheApiTellsIt() {
    String told =
        "{'id':'a\\u001bb','etag':'3-0000000c','record':{'tier':'free','limits':{'rpm':'1/1s'},"
            + "'override':{'until':'2026-11-24T18:00:00Z','factor':2}}}";
    api.answers(200, "3-0000000c", told).answers(200, "3-0000000c", told);
    assertEquals(0, api.run("users", "get", "a\u001bb/ü ?"), api.err);
    assertEquals(
        """
        what             value
        user             a\\u001Bb
        version          3-0000000c
        tier             free
        limit rpm        1/1s
        override until   2026-11-24T18:00:00Z
        override factor  2
        """,
        api.out);
    assertEquals(0, api.run("users", "get", "ann", "--output", "json"));
    assertEquals(told.replace('\'', '"') + "\n", api.out);
    assertEquals("GET /api/v1/users/a%1Bb%2F%C3%BC%20%3F", api.requests().get(0));
  }

  private static final String TOP =
      "{'by':'refused','seconds':87,'requests':1200,'refused':300,'keys':[{'rule':'chat',"
          + "'key':'header:x-user-id','identity':'a\\u001b','requests':1000,'requests_error':0,"
          + "'refused':300,'refused_error':20}]}";

  private static final String TOP_TABLE =
      """
      Last 87 s: 1200 requests counted, 300 refused.
      rule  key               identity  requests  refused
      chat  header:x-user-id  a\\u001B       1000  300 ±20
      """;

  @Test
  void showsTheTopKeys() {
    api.answers(200, null, TOP).answers(200, null, TOP);
    assertEquals(0, api.run("top", "--by", "refused", "--rule", "a b", "--most", "5"), api.err);
    assertEquals(TOP_TABLE, api.out);
    assertEquals(0, api.run("top", "--output", "json"));
    assertEquals(TOP.replace('\'', '"') + "\n", api.out);
    assertEquals(
        List.of(
            "GET /api/v1/top?by=refused&rule=a+b&most=5", "GET /api/v1/top?by=requests&most=20"),
        api.requests());
    api.answers(200, null, "{'seconds':1,'requests':0,'refused':0,'keys':[]}");
    assertEquals(0, api.run("top"));
    assertEquals("Last 1 s: 0 requests counted, 0 refused.\nnone\n", api.out);
    assertEquals(2, api.run("top", "--watch", "0"));
    assertEquals("--watch: 0 (expected: 1 to 3600)", api.err.lines().findFirst().orElse(""));
  }

  @Test
  void watchesTheTopKeysUntilTheApiIsAway() {
    api.answers(200, null, TOP).answers(200, null, TOP).answers(503, null, "{'detail':'Away.'}");
    assertEquals(5, api.run("top", "--watch", "1"));
    assertEquals(TOP_TABLE + TOP_TABLE, api.out, "no terminal");
    assertEquals("503: Away.\n", api.err);
  }

  @Test
  void setsWhatIsNamedAndKeepsTheOthersIfNobodyWasFaster() {
    api.answers(200, "3-0000000c", "{'id':'ann','record':{'tier':'free','limits':{'rpm':'1/1s'}}}")
        .answers(200, "4-0000000d", ANN);
    assertEquals(
        0,
        api.run(
            "users",
            "set",
            "ann",
            "--limit",
            "tpm=20k/1m",
            "--burst",
            "tpm=5k",
            "--no-limit",
            "rpm",
            "--reason",
            "grüße\r\nX: y"),
        api.err);
    assertEquals(
        List.of(
            "GET /api/v1/users/ann",
            "PUT /api/v1/users/ann?reason=gr%C3%BC%C3%9Fe%0D%0AX%3A+y\nIf-Match: \"3-0000000c\"\n"
                + "{\"tier\":\"free\",\"limits\":{\"tpm\":{\"limit\":\"20000/1m\",\"burst\":5000}}}"),
        api.requests());
  }

  @Test
  void makesAUserWhoIsNotThere() {
    api.answers(404, null, "{'title':'none'}").answers(201, "4-0000000d", ANN);
    assertEquals(0, api.run("users", "set", "ann", "--tier", "free"), api.err);
    assertEquals(
        "PUT /api/v1/users/ann\nIf-None-Match: *\n{\"tier\":\"free\"}", api.requests().get(1));
  }

  @Test
  void anOverrideEndsByItself() {
    api.answers(200, "3-0000000c", ANN).answers(200, "4-0000000d", ANN);
    assertEquals(
        0,
        api.run("users", "set", "ann", "--factor", "2", "--until", "24h", "--reason", "launch day"),
        api.err);
    assertTrue(
        api.requests()
            .get(1)
            .matches(
                "(?s).*\\{\"tier\":\"free\",\"override\":\\{\"until\":\"[0-9T:-]+Z\","
                    + "\"reason\":\"launch day\",\"factor\":2\\}\\}"),
        api.requests().get(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--factor 2",
        "--until 24h --reason x",
        "--until 24h --factor 2",
        "--until 367d --factor 2 --reason x",
        "--until tomorrow --factor 2 --reason x",
        "--until 24h --factor 0 --reason x",
        "--until 24h --no-tier --reason x",
        "--limit rpm=0/1m",
        "--limit rpm",
        "--burst rpm=5",
        "--limit rpm=5 --burst rpm=5",
      })
  void asksForNothingThatCannotBe(String flags) {
    api.answers(200, "3-0000000c", ANN);
    String line = "users set ann " + flags;
    assertEquals(2, api.run(line.strip().split(" ")), api.err);
    assertTrue(api.err.contains("See: weir users set --help"), api.err);
    assertTrue(api.requests().size() <= 1, "nothing is written");
  }

  @Test
  void importsInPiecesAndTellsOfEachLineThatIsRefused() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1_001; i++) {
      lines.append("{'id':'u").append(i).append("','record':{}}\n");
    }
    api.answers(
            200,
            null,
            "{'line':1,'id':'u0','status':200}\n{'line':2,'id':'u1','status':422,'errors':"
                + "[{'pointer':'/tier','found':'7','expected':'a name'}]}\n")
        .refuses("1")
        .answers(200, null, "{'line':1,'id':'u1000','status':412,'detail':'Changed.'}\n");
    assertEquals(4, api.run("users", "import", file(lines.toString()).toString()), api.err);
    assertEquals(
        "line 2: /tier: 7 (expected: a name)\nline 1001: Changed.\nwritten 1, refused 2\n",
        api.err);
    assertEquals(3, api.requests().size());
    assertEquals(1_001, api.requests().get(0).lines().count(), "with the line of the request");
    assertEquals(api.requests().get(1), api.requests().get(2));
  }

  @Test
  void saysFromWhichLineAnImportStopped() throws IOException {
    api.answers(503, null, "{'detail':'The store of records is away.'}");
    assertEquals(5, api.run("users", "import", file("{'id':'a','record':{}}\n").toString()));
    assertEquals(
        "written 0, refused 0\nlines from 1: 503: The store of records is away.\n", api.err);
    assertEquals(2, api.run("users", "import", folder.resolve("none").toString()));
  }

  @Test
  void exportsAllPagesAsLinesThatImportReads() {
    api.answers(200, null, "{'users':[" + ANN + "],'next':'p 2'}")
        .answers(
            200, null, "{'users':[{'id':'b\\n','etag':'1-00000001','record':{}}],'next':null}");
    assertEquals(0, api.run("users", "export"), api.err);
    assertEquals(
        "{'id':'ann','record':{'tier':'free'}}\n{'id':'b\\n','record':{}}\n".replace('\'', '"'),
        api.out);
    assertEquals("GET /api/v1/users?most=1000&after=p+2", api.requests().get(1));
  }

  @Test
  void listsUsersOneALineAndWaitsForBeingLetIn() {
    api.refuses("1")
        .answers(
            200,
            null,
            "{'users':["
                + ANN
                + ",{'id':'=cmd|\\u001b[2J','etag':'4-0000000d','record':{'limits':{'rpm':'9/1m'},"
                + "'override':{'until':'2026-11-25T00:00:00Z','reason':'x','factor':2}}}],"
                + "'next':null}");
    assertEquals(0, api.run("users", "list"), api.err);
    List<String> lines =
        api.out.lines().map(line -> line.strip().replaceAll(" {2,}", " | ")).toList();
    assertEquals(
        List.of(
            "user | tier | limits | override until | version",
            "ann | free | 3-0000000c",
            "=cmd|\\u001B[2J | {\"rpm\":\"9/1m\"} | 2026-11-25T00:00:00Z | 4-0000000d"),
        lines);
  }

  @Test
  void resetsAllOrOneLimit() {
    api.answers(204, null, "").answers(204, null, "");
    assertEquals(0, api.run("users", "reset", "ann"), api.err);
    assertEquals(0, api.run("users", "reset", "ann", "--limit", "rpm"), api.err);
    assertEquals(
        List.of(
            "POST /api/v1/users/ann/reset\n{}",
            "POST /api/v1/users/ann/reset\n{\"limit\":\"rpm\"}"),
        api.requests());
  }

  @Test
  void comparesAFileWithTheRulesInUse() throws IOException {
    Path rules = file("rules:\n  - {id: api, limit: 200/1s}\nupstream: http://127.0.0.1:1\n");
    String changes =
        "{'changes':[{'kind':'rule','id':'api','action':'update','before':{'id':'api','limit':"
            + "'100/1s','key':'ip'},'after':{'id':'api','limit':'200/1s'}},{'kind':'rule','id':"
            + "'new','action':'create','before':null,'after':{'id':'new'}}],'warnings':['w']}";
    api.answers(200, "3-0000000c", "{'rules':[]}").answers(200, null, changes);
    assertEquals(1, api.run("rules", "diff", rules.toString()), api.err);
    assertEquals(
        """
        ~ rule api
            /limit: "100/1s" -> "200/1s"
            /key: "ip" removed
        + rule new
            {"id":"new"}
        """,
        api.out);
    assertEquals("w\ncompared with version 3-0000000c\n", api.err);
    assertEquals(
        "PUT /api/v1/rules?dry-run=true\nIf-Match: \"3-0000000c\"\n"
            + "{\"rules\":[{\"id\":\"api\",\"limit\":\"200/1s\"}]}",
        api.requests().get(1));
    api.answers(200, "3-0000000c", "{'rules':[]}").answers(200, null, "{'changes':[]}");
    assertEquals(0, api.run("rules", "diff", rules.toString()));
  }

  @Test
  void pushesOnlyOverTheVersionThatWasSeen() throws IOException {
    Path rules = file("rules: []\n");
    api.answers(
        200,
        "4-0000000d",
        "{'changes':[],'sidecars':{'live':3,'using':3,'refusing':0},'warnings':[]}");
    assertEquals(
        0,
        api.run(
            "rules",
            "push",
            rules.toString(),
            "--version",
            "3-0000000c",
            "--wait",
            "1s",
            "--reason",
            "r"),
        api.err);
    assertEquals("version 4-0000000d\nin use by 3 of 3 sidecars\n", api.out);
    assertEquals(
        "PUT /api/v1/rules?wait=1s&reason=r\nIf-Match: \"3-0000000c\"\n{\"rules\":[]}",
        api.requests().get(0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'live':3,'using':3,'refusing':0} | 0 | in use by 3 of 3 sidecars",
        "{'live':3,'using':2,'refusing':0} | 6 | in use by 2 of 3 sidecars",
        "{'live':3,'using':1,'refusing':2} | 6 | in use by 1 of 3 sidecars, refused by 2",
        "null | 6 | ",
      })
  void tellsByTheExitCodeWhetherAllSidecarsFollow(String sidecars, int code, String line)
      throws IOException {
    Path rules = file("rules: []\n");
    for (String output : List.of("table", "json")) {
      api.answers(200, "4-0000000d", "{'changes':[],'warnings':[],'sidecars':" + sidecars + "}");
      assertEquals(
          code,
          api.run(
              "rules",
              "push",
              rules.toString(),
              "--version",
              "3-0000000c",
              "--wait",
              "1s",
              "--output",
              output),
          api.err);
      if (output.equals("table")) {
        assertEquals("version 4-0000000d\n" + (line == null ? "" : line + "\n"), api.out);
      }
    }
  }

  @Test
  void aFileWithAFaultIsNotSent() throws IOException {
    assertEquals(1, api.run("rules", "push", file("rules: [{limit: 1/1s}]\n").toString()));
    assertTrue(api.err.contains(":1: rules[0].id: missing"), api.err);
    assertEquals(List.of(), api.requests());
  }

  @Test
  void revertsToWhatTheAuditKnows() {
    String head = "{'number':9,'at':'t','by':'ops','action':'update','version':";
    api.answers(200, "5-00000005", "{'rules':[{'id':'b','limit':'2/1s'},{'id':'c'}]}")
        .answers(
            200,
            null,
            "{'entries':["
                + head
                + "'5-00000005','rule':'b','before':{'id':'b','limit':'1/1s'},'after':{}},"
                + head
                + "'5-00000005','part':'order','before':['a','b'],'after':['b','c']},"
                + head
                + "'5-00000005','rule':'c','before':null,'after':{'id':'c'}},"
                + head
                + "'4-00000004','rule':'a','before':{'id':'a'},'after':null},"
                + head
                + "null,'user':'ann','before':null,'after':null},"
                + head
                + "'3-00000003','rule':'b','before':null,'after':{}}],'next':null}")
        .answers(200, "6-00000006", "{'changes':[],'warnings':[]}");
    assertEquals(0, api.run("rules", "revert", "3-00000003"), api.err);
    assertEquals(
        "PUT /api/v1/rules?reason=revert+to+3-00000003\nIf-Match: \"5-00000005\"\n"
            + "{'rules':[{'id':'a'},{'id':'b','limit':'1/1s'}]}".replace('\'', '"'),
        api.requests().get(2));
    api.answers(200, "5-00000005", "{'rules':[]}").answers(200, null, "{'entries':[],'next':null}");
    assertEquals(1, api.run("rules", "revert", "3-00000003"));
    assertEquals(2, api.run("rules", "revert", "yesterday"));
  }

  @Test
  void showsTheAuditAsATableOrLines() {
    String entry =
        "{'number':9,'action':'update','user':'ann','version':'4-0000000d','at':"
            + "'2026-11-24T00:00:00Z','by':'ops','from':'','reason':'=1+1'}";
    api.answers(200, null, "{'entries':[" + entry + "],'next':null}")
        .answers(200, null, entry + "\n");
    assertEquals(0, api.run("audit", "list", "--author", "ops"), api.err);
    assertEquals(
        """
        number  at                    by   action  object    version     reason
        9       2026-11-24T00:00:00Z  ops  update  user ann  4-0000000d  =1+1
        """,
        api.out);
    assertEquals(0, api.run("audit", "export"), api.err);
    assertEquals(entry.replace('\'', '"') + "\n", api.out);
    assertEquals("GET /api/v1/audit?most=1000&author=ops", api.requests().get(0));
  }

  @Test
  void asksForChangesOfRulesAloneAndWaitsForBeingLetIn() {
    api.refuses("1").answers(200, null, "{'entries':[],'next':null}");
    assertEquals(0, api.run("rules", "log"), api.err);
    assertEquals("GET /api/v1/audit?most=1000&kind=rules", api.requests().get(1));
    assertEquals(api.requests().get(0), api.requests().get(1));
  }

  private static ApiOptions options(String... flags) {
    ApiOptions options = new ApiOptions();
    CommandLine.populateCommand(options, flags);
    return options;
  }

  private static String fault(ApiOptions options, Map<String, String> environment) {
    return assertThrows(ApiFault.class, () -> options.open(environment, Duration.ofSeconds(1)))
        .getMessage();
  }

  @Test
  void aTokenComesFromAFileOrTheEnvironmentAndIsOneLine() throws Exception {
    Path token = file(" s3cret\n");
    api.answers(200, "3-0000000c", ANN);
    assertEquals(0, api.run("users", "get", "ann", "--token-file", token.toString()), api.err);
    assertEquals("GET /api/v1/users/ann\nAuthorization: Bearer s3cret", api.requests().get(0));
    options().open(Map.of("WEIR_TOKEN", "s3cret"), Duration.ofSeconds(1));
    options().open(Map.of("WEIR_TOKEN_FILE", token.toString()), Duration.ofSeconds(1));
    assertEquals(
        "WEIR_TOKEN: no token (expected: a line of visible ASCII)",
        fault(options(), Map.of("WEIR_TOKEN", "a\r\nX: y")));
    assertTrue(fault(options("--token-file", folder + "/none"), Map.of()).startsWith("token: "));
    assertEquals(2, api.run("users", "get", "ann", "--token", "s3cret"));
  }
}
