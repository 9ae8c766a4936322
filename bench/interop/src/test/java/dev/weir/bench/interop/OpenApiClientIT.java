package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that is generated from what {@code /api/v1/openapi.json} says works with the API. */
@Timeout(90)
class OpenApiClientIT {
  private static final String TOKEN = "admins-token-0123456789";

  @TempDir private Path folder;

  @BeforeAll
  static void needGenerator() {
    NodeScript.need("openapi-typescript");
    NodeScript.need("openapi-fetch");
    NodeScript.need("typescript");
  }

  @Test
  void isGeneratedCompiledAndUsed() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes(StandardCharsets.UTF_8));
    Path tokens =
        Files.writeString(
            folder.resolve("tokens"), "ada admin " + HexFormat.of().formatHex(hash) + "\n");
    try (SidecarInFront sidecar =
        new SidecarInFront(
            1, // nobody, as nothing is sent there
            "--admin",
            "127.0.0.1:0",
            "--admin-tokens",
            tokens.toString(),
            "--records.store",
            "file",
            "--records.folder",
            folder.resolve("records").toString(),
            "--limit",
            "1/1s")) {
      String base = "http://127.0.0.1:" + sidecar.adminPort() + "/api/v1";
      // The folder in which the packages of the client are found.
      Path client = Files.createDirectories(Path.of("target", "node", "client"));
      Path document = client.resolve("openapi.json");
      HttpRequest get =
          HttpRequest.newBuilder(URI.create(base + "/openapi.json"))
              .header("Authorization", "Bearer " + TOKEN)
              .build();
      HttpClient.newHttpClient().send(get, BodyHandlers.ofFile(document));
      Files.writeString(client.resolve("package.json"), "{\"type\":\"module\"}");
      Path program = client.resolve("operator.ts");
      Files.write(program, OpenApiClientIT.class.getResourceAsStream("operator.ts").readAllBytes());

      String types = client.resolve("api.d.ts").toString();
      NodeScript.runModule("openapi-typescript/bin/cli.js", document.toString(), "--output", types);
      String faults =
          NodeScript.runModule(
              "typescript/bin/tsc",
              "--strict",
              "--target",
              "es2022",
              "--module",
              "nodenext",
              "--lib",
              "es2022,dom,dom.iterable",
              "--skipLibCheck",
              program.toString());
      assertEquals("", faults);
      List<String> lines =
          NodeScript.runFile(client.resolve("operator.js"), base, TOKEN).lines().toList();
      assertEquals(
          List.of(
              "[200,1]",
              "[201,\"premium\"]",
              "[200,\"20/365d\",\"tier\"]",
              "[412,\"ada\",true]",
              "[422,\"gold\",\"a tier of the rules: free, premium\"]",
              "[null]"),
          lines);
    }
  }
}
