package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.cli.api.AdminPort;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.ClientTls;
import dev.weir.proxy.tls.TestCertificates;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The admin port of a sidecar over TLS, and callers who are known by their certificates. */
@Timeout(60)
class EncryptedAdminPortTest {
  private static final String RULES = "/api/v1/rules";
  private static final String SIDECARS = "/api/v1/sidecars";

  @TempDir private Path folder;
  private Path authority;
  private Path tokens;
  private Rig rig;

  @BeforeEach
  void start() throws Exception {
    TestCertificates.write(folder, "server", TestCertificates.server("localhost"));
    authority =
        TestCertificates.writeAuthority(folder, "authority.crt", TestCertificates.AUTHORITY);
    tokens = folder.resolve("tokens");
    write("vera viewer tls:cn=vera", "eddy editor tls:spiffe=spiffe://weir/eddy");
    rig =
        Rig.ofFile(
            Rig.preferredTransport(),
            String.join(
                "\n",
                "admin: https://127.0.0.1:0",
                "admin-tokens: " + tokens,
                "records: {store: file, folder: " + folder.resolve("records") + "}",
                "tls:",
                "  certificate: " + folder.resolve("server.crt"),
                "  key: " + folder.resolve("server.key"),
                "  client-ca: " + authority,
                "  client-certificate: optional",
                "rules: [{id: r, limit: 9/365d, key: header:x-user-id}]"));
  }

  @AfterEach
  void stop() throws IOException {
    rig.close();
  }

  private void write(String... lines) throws IOException {
    Files.writeString(
        tokens,
        "ada admin " + ApiRig.sha256(ApiRig.ADMIN) + "\n" + String.join("\n", lines) + "\n");
  }

  private CertificateFiles client(String name) {
    X509Bundle bundle = TestCertificates.client(name, "spiffe://weir/" + name);
    return TestCertificates.write(folder, name, bundle);
  }

  /**
   * Asks with a certificate.
   *
   * @param own null for none.
   */
  private AdminPort.Answer ask(
      CertificateFiles own, String method, String path, Map<String, String> fields)
      throws Exception {
    byte[] body =
        method.equals("PUT")
            ? "{\"rules\":[{\"id\":\"a\",\"limit\":\"5/1m\"}]}".getBytes(StandardCharsets.UTF_8)
            : null;
    return new AdminPort(
            rig.sidecar.adminAddress(), Duration.ofSeconds(20), ClientTls.sockets(authority, own))
        .ask(new AdminPort.Request(method, path, new AdminPort.Parameters(), fields, body));
  }

  private int put(CertificateFiles own, String... more) throws Exception {
    Map<String, String> fields = new HashMap<>();
    fields.put("Content-Type", "application/json");
    fields.put("If-None-Match", "*");
    for (int i = 0; i < more.length; i += 2) {
      fields.put(more[i], more[i + 1]);
    }
    return ask(own, "PUT", RULES, fields).status();
  }

  @Test
  void knowsCallersByANameInTheirCertificate() throws Exception {
    assertEquals(200, ask(client("vera"), "GET", SIDECARS, Map.of()).status());
    AdminPort.Answer refused = ask(client("vera"), "POST", "/api/v1/reload", Map.of());
    assertEquals(403, refused.status());
    assertTrue(refused.body().contains("vera has the role viewer"), refused.body());
    assertEquals(200, put(client("eddy")));
    AdminPort.Answer audit = ask(client("vera"), "GET", "/api/v1/audit", Map.of());
    assertTrue(audit.body().contains("\"eddy\""), audit.body());
  }

  @Test
  void refusesACertificateThatNoLineKnowsAndACallerWithout() throws Exception {
    AdminPort.Answer stranger = ask(client("mallory"), "GET", SIDECARS, Map.of());
    assertEquals(401, stranger.status());
    assertTrue(stranger.body().contains("none of its names is known"), stranger.body());
    assertEquals(1, rig.metric("weir_admin_log_ins_failed_total"));
    assertEquals(401, ask(null, "GET", SIDECARS, Map.of()).status());
    assertEquals(200, ask(null, "GET", "/healthz", Map.of()).status());
  }

  @Test
  void aTokenIsLookedAtBeforeTheCertificate() throws Exception {
    Map<String, String> admin = Map.of("Authorization", "Bearer " + ApiRig.ADMIN);
    assertEquals(200, ask(client("vera"), "POST", "/api/v1/reload", admin).status());
    Map<String, String> wrong = Map.of("Authorization", "Bearer nobodys-token-0123456789");
    assertEquals(401, ask(client("eddy"), "GET", SIDECARS, wrong).status());
  }

  @Test
  void aPageOfAnotherSiteChangesNothingByTheCertificateOfItsReader() throws Exception {
    CertificateFiles eddy = client("eddy");
    assertEquals(403, put(eddy, "Origin", "https://elsewhere.example"));
    assertEquals(403, put(eddy, "Origin", "null"));
    assertEquals(404, ask(eddy, "GET", RULES + "/a", Map.of()).status());
    assertEquals(200, put(eddy, "Origin", "https://localhost"));
  }

  @Test
  void aPageOfAnotherSiteUsesUpNothingOfWhoReadsIt() throws Exception {
    CertificateFiles eddy = client("eddy");
    Map<String, String> write = Map.of("Content-Type", "application/json", "If-None-Match", "*");
    for (String method : List.of("GET", "PUT")) {
      for (String site : List.of("cross-site", "same-site", "")) {
        Map<String, String> fields = new HashMap<>(write);
        fields.put("Sec-Fetch-Site", site);
        assertEquals(403, ask(eddy, method, RULES, fields).status(), method + " of " + site);
      }
    }
    Map<String, String> foreign = Map.of("Origin", "https://elsewhere.example");
    assertEquals(403, ask(eddy, "GET", RULES, foreign).status());
    assertEquals(403, ask(client("mallory"), "GET", RULES, foreign).status());
    assertEquals(0, rig.metric("weir_admin_log_ins_failed_total"));
    Map<String, String> own = new HashMap<>(write);
    own.put("Sec-Fetch-Site", "same-origin");
    assertCharged("\"writes\";r=99;", ask(eddy, "PUT", RULES, own));
    assertCharged("\"reads\";r=999;", ask(eddy, "GET", RULES, Map.of("Sec-Fetch-Site", "none")));
  }

  private static void assertCharged(String expected, AdminPort.Answer answer) {
    assertEquals(200, answer.status(), answer.body());
    assertTrue(answer.fields().get("ratelimit").startsWith(expected), answer.toString());
  }

  @Test
  void anExportIsAReadAndATokenMayComeFromAnySite() throws Exception {
    Map<String, String> token =
        Map.of("Authorization", "Bearer " + ApiRig.ADMIN, "Sec-Fetch-Site", "cross-site");
    // The token is one that no page knows, so it may be of any site.
    assertCharged("\"reads\";r=999;", ask(null, "GET", "/api/v1/audit:export", token));
  }

  @Test
  void aChangedLineHoldsWithoutARestart() throws Exception {
    write("vera editor tls:cn=vera");
    rig.sidecar.reload();
    assertEquals(200, put(client("vera")));
    assertEquals(401, ask(client("eddy"), "GET", SIDECARS, Map.of()).status());
  }

  @Test
  void answersNobodyInTheClearAndNoClientThatCannotVerifyIt() throws Exception {
    try (RawClient plain = new RawClient(rig.sidecar.adminAddress())) {
      plain.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertFalse(plain.readToEndOrReset().contains("HTTP"));
    }
    authority =
        TestCertificates.writeAuthority(folder, "other.crt", TestCertificates.OTHER_AUTHORITY);
    assertThrows(IOException.class, () -> ask(null, "GET", "/healthz", Map.of()));
  }

  @Test
  void showsAChangedCertificateToTheNextClient() throws Exception {
    TestCertificates.write(
        folder,
        "server",
        TestCertificates.builder("CN=localhost")
            .addSanDnsName("localhost")
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(TestCertificates.OTHER_AUTHORITY));
    rig.sidecar.reload();
    authority =
        TestCertificates.writeAuthority(folder, "other.crt", TestCertificates.OTHER_AUTHORITY);
    assertEquals(200, ask(null, "GET", "/healthz", Map.of()).status());
  }

  @Test
  void commandsShowACertificate() throws Exception {
    CertificateFiles vera = client("vera");
    StringWriter out = new StringWriter();
    CommandLine weir = WeirCommand.commandLine();
    weir.setOut(new PrintWriter(out));
    weir.setErr(new PrintWriter(out));
    String admin = "https://127.0.0.1:" + rig.adminPort();
    int code =
        weir.execute(
            "sidecars",
            "--admin",
            admin,
            "--ca",
            authority.toString(),
            "--certificate",
            vera.chain().toString(),
            "--key",
            vera.key().toString());
    assertEquals(0, code, out.toString());
    assertTrue(out.toString().matches("(?s)id +version +refused\\n.*"), out.toString());
  }
}
