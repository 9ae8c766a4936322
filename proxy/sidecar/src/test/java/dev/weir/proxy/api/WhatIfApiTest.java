package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code /what-if} of a sidecar, over sockets. */
@Timeout(60)
class WhatIfApiTest {
  private static final String SMALL =
      "{\"rules\":[{\"id\":\"small\",\"limit\":\"1/365d\",\"key\":\"header:x-user-id\"}]}";

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private String out;

  private Rig rig(String more) throws Exception {
    Path tokens = folder.resolve("tokens");
    Files.writeString(
        tokens,
        "vera viewer %s\neddy editor %s\nada admin %s\n"
            .formatted(
                ApiRig.sha256(ApiRig.VIEWER),
                ApiRig.sha256(ApiRig.EDITOR),
                ApiRig.sha256(ApiRig.ADMIN)));
    return Rig.ofFile(
        Rig.preferredTransport(),
        "admin: 127.0.0.1:0\nadmin-tokens: "
            + tokens
            + "\nrules: [{id: r, limit: 9/365d, key: header:x-user-id}]\n"
            + more);
  }

  private HttpResponse<String> send(
      Rig rig, String token, String method, String target, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + rig.adminPort() + "/api/v1/what-if" + target))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json");
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static void ask(Rig rig, int count) throws Exception {
    try (RawClient user = rig.connect()) {
      for (int i = 0; i < count; i++) {
        user.send("GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\n\r\n").read();
      }
    }
  }

  @Test
  void replacesTheCandidateOfTheFileUntilItIsDeleted() throws Exception {
    Path file = folder.resolve("candidate.yaml");
    Files.writeString(
        file,
        "upstream: http://127.0.0.1:1\n"
            + "rules: [{id: of-file, limit: 7/365d, key: header:x-user-id}]\n");
    try (Rig rig = rig("what-if: {file: " + file + "}\n")) {
      assertEquals(403, send(rig, ApiRig.EDITOR, "POST", "", SMALL).statusCode());
      assertEquals(403, send(rig, ApiRig.EDITOR, "DELETE", "", "").statusCode());
      ask(rig, 1);
      assertTrue(send(rig, ApiRig.VIEWER, "GET", "", "").body().contains("\"then\":\"of-file\""));

      HttpResponse<String> bad =
          send(rig, ApiRig.ADMIN, "POST", "", "{\"rules\":[\n{\"id\":\"a\",\"limit\":\"x\"}]}");
      assertEquals(422, bad.statusCode());
      assertTrue(bad.body().contains("\"pointer\":\"/rules/0/limit\",\"line\":2"), bad.body());
      assertEquals(400, send(rig, ApiRig.ADMIN, "POST", "?sample=0%25", SMALL).statusCode());

      HttpResponse<String> posted = send(rig, ApiRig.ADMIN, "POST", "?sample=100%25", SMALL);
      assertEquals(200, posted.statusCode(), posted.body());
      rig.awaitLoops();
      ask(rig, 3);
      String report = send(rig, ApiRig.ADMIN, "GET", "", "").body();
      String counts =
          "\"then\":\"small\",\"both_pass\":1,\"both_refuse\":0,\"only_now\":0,\"only_then\":2";
      assertTrue(report.contains(counts), report);
      assertTrue(report.contains("\"identity\":\"ann\""), report);
      String hidden = send(rig, ApiRig.VIEWER, "GET", "", "").body();
      assertTrue(hidden.contains(counts) && hidden.contains("\"identity\":\"hidden:"), hidden);

      Files.writeString(file, Files.readString(file).replace("7/365d", "8/365d"));
      rig.sidecar.reload();
      assertTrue(
          send(rig, ApiRig.VIEWER, "GET", "", "").body().contains(counts), "the file's waits");
      assertEquals(204, send(rig, ApiRig.ADMIN, "DELETE", "", "").statusCode());
      rig.awaitLoops();
      ask(rig, 1);
      String back = send(rig, ApiRig.VIEWER, "GET", "", "").body();
      assertTrue(back.contains("\"then\":\"of-file\"") && !back.contains("small"), back);
      assertEquals(204, send(rig, ApiRig.ADMIN, "DELETE", "", "").statusCode());
    }
  }

  /** The page of the same name, which needs no token on this machine. */
  private String page(Rig rig) throws Exception {
    HttpRequest get =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.adminPort() + "/what-if"))
            .build();
    return client.send(get, BodyHandlers.ofString()).body();
  }

  @Test
  void showsNobodyOnThePageWhomTheApiHides() throws Exception {
    Path file = folder.resolve("candidate.yaml");
    Files.writeString(
        file,
        "upstream: http://127.0.0.1:1\nrules: [{id: r, limit: 1/365d, key: header:x-user-id}]\n");
    try (Rig rig = rig("what-if: {file: " + file + "}\n")) {
      ask(rig, 2);
      String page = page(rig);
      assertTrue(page.contains("hidden:") && !page.contains("ann"), page);
      String viewers = send(rig, ApiRig.VIEWER, "GET", "?format=text", "").body();
      assertTrue(viewers.contains("hidden:") && !viewers.contains("ann"), viewers);
      String editors = send(rig, ApiRig.EDITOR, "GET", "?format=text", "").body();
      assertTrue(editors.contains("  ann "), editors);
      assertEquals(400, send(rig, ApiRig.VIEWER, "GET", "?format=html", "").statusCode());

      Path token = Files.writeString(folder.resolve("token"), ApiRig.EDITOR);
      String admin = "127.0.0.1:" + rig.adminPort();
      assertEquals(0, weir("what-if", "--admin", admin, "--token-file", token.toString()));
      assertEquals(editors, out);
      Files.writeString(token, "guess");
      assertEquals(3, weir("what-if", "--admin", admin, "--token-file", token.toString()));
      Files.writeString(token, ApiRig.VIEWER);
      String[] explain = {
        "explain", "--admin", admin, "--token-file", token.toString(), "-H", "x-user-id: ann"
      };
      assertEquals(0, weir(explain));
      assertTrue(out.endsWith("outcome: passes now\n"), out);
    }
  }

  private int weir(String... words) {
    StringWriter text = new StringWriter();
    CommandLine weir = WeirCommand.commandLine();
    weir.setOut(new PrintWriter(text)).setErr(new PrintWriter(new StringWriter()));
    int exitCode = weir.execute(words);
    out = text.toString();
    return exitCode;
  }

  @Test
  void hasNoCandidateThatTheSettingsDoNotAskFor() throws Exception {
    try (Rig rig = rig("")) {
      for (String method : new String[] {"GET", "POST", "DELETE"}) {
        String body = method.equals("POST") ? SMALL : "";
        HttpResponse<String> none = send(rig, ApiRig.ADMIN, method, "", body);
        assertEquals(409, none.statusCode());
        assertTrue(none.body().contains("what-if.file in the settings"), none.body());
      }
    }
  }
}
