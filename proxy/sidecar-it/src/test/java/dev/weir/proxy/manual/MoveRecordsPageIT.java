package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/move-records.md: from a settings file to a folder, to Redis, and back. */
@Timeout(120)
class MoveRecordsPageIT {
  private static final RedisServer redis = RedisServer.shared();

  private final ManualPage page = ManualPage.of("docs/move-records.md");

  @TempDir private Path folder;

  private static HttpResponse<String> send(PageSidecar sidecar, String method, String etag)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + sidecar.admin() + "/api/v1/rules"))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("Authorization", "Bearer " + PageSidecar.ADMIN);
    if (etag != null) {
      request.header("If-Match", etag);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  private void run(PageSidecar sidecar, int block) throws Exception {
    List<String> commands = PageSidecar.commands(page, block);
    for (String command : commands) {
      sidecar.run("ada", command);
    }
  }

  @Test
  void movesRulesAndUsersToAFolderToRedisAndBack() throws Exception {
    redis.text("FLUSHALL");
    Files.writeString(
        folder.resolve("users.ndjson"), "{\"id\": \"ann\", \"record\": {\"tier\": \"premium\"}}\n");
    try (PageSidecar sidecar = new PageSidecar(page, 0, folder, null)) {
      run(sidecar, 0);
      Path rules = folder.resolve("rules.yaml");
      Files.writeString(rules, Files.readString(rules).replace("10/1m", "20/1m"));
      sidecar.run("ada", "./weir rules push rules.yaml");
      run(sidecar, 1);
      assertTrue(sidecar.run("ada", "./weir audit verify audit.ndjson").contains("are whole"));
    }
    try (PageSidecar sidecar = new PageSidecar(page, 1, folder, Fleet.node(redis))) {
      assertEquals("10/1m", sidecar.limitInUse(), "those of the file");
      run(sidecar, 2);
      assertEquals("20/1m", sidecar.limitInUse());
      assertTrue(sidecar.run("ada", "./weir users get ann").contains("premium"));

      sidecar.run("ada", PageSidecar.commands(page, 3).get(0));
      HttpResponse<String> read = send(sidecar, "GET", null);
      String etag = read.headers().firstValue("etag").orElseThrow();
      assertEquals(200, send(sidecar, "DELETE", etag).statusCode());
      Await.until("the file's decide", () -> sidecar.limitInUse().equals("10/1m"));
      assertTrue(sidecar.run("ada", "./weir users get ann").contains("premium"), "stays");
    }
  }
}
