package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rules of a fleet on a real Redis, changed over the API of each sidecar. */
@Timeout(60)
class RulesApiIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final int WRITERS = 8;
  private static final int ROUNDS = 4;
  private static final String NONE = "\"0-00000000\"";
  private static final Pattern LIMIT = Pattern.compile("\"limit\":\"(\\d+)/1m\"");

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private Fleet fleet(String node) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < WRITERS; i++) {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(token(i).getBytes(StandardCharsets.UTF_8));
      lines.append("w" + i + " editor " + HexFormat.of().formatHex(hash) + "\n");
    }
    Path tokens = Files.writeString(folder.resolve("tokens"), lines);
    return Fleet.ofFile(
            3,
            "admin: 127.0.0.1:0\nadmin-tokens: "
                + tokens
                + "\nservice: shop\nredis: {nodes: '"
                + node
                + "', deadline: 1s}\nrecords: {store: redis}\n"
                + "rules: [{id: r, limit: 5/1m}]\n")
        .deciding(1);
  }

  private static String token(int writer) {
    return "token-of-writer-" + writer;
  }

  private HttpResponse<String> send(
      Rig rig, int writer, String method, String target, String body, String etag)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + rig.adminPort() + "/api/v1" + target))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + token(writer))
            .header("Content-Type", "application/json");
    if (etag != null) {
      request.header("If-Match", etag);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static String rule(int limit) {
    return "{\"id\":\"r\",\"limit\":\"" + limit + "/1m\"}";
  }

  private static String set(int limit) {
    return "{\"rules\":[" + rule(limit) + "]}";
  }

  private static String etag(HttpResponse<?> response) {
    return response.headers().firstValue("etag").orElse("");
  }

  private static int limit(HttpResponse<String> response) {
    Matcher limit = LIMIT.matcher(response.body());
    assertTrue(limit.find(), response.body());
    return Integer.parseInt(limit.group(1));
  }

  @Test
  void anAnswerThatWaitedSaysThatAllSidecarsFollow() throws Exception {
    try (Fleet fleet = fleet(Fleet.node(redis))) {
      HttpResponse<String> put = send(fleet.rig(0), 0, "PUT", "/rules?wait=10s", set(7), NONE);
      assertEquals(200, put.statusCode(), put.body());
      assertTrue(
          put.body().contains("\"sidecars\":{\"live\":3,\"using\":3,\"refusing\":0}"), put.body());
      for (Rig rig : fleet.rigs) {
        HttpResponse<String> get = send(rig, 0, "GET", "/rules", "", null);
        assertEquals(7, limit(get));
        assertEquals(etag(put), etag(get));
        String version = etag(put).replace("\"", "");
        String sidecars = send(rig, 0, "GET", "/sidecars", "", null).body();
        assertEquals(1 + 4, sidecars.split(version, -1).length, sidecars); // three, and this one
      }
      HttpResponse<String> stale = send(fleet.rig(1), 1, "PUT", "/rules", set(8), NONE);
      assertEquals(412, stale.statusCode());
      assertTrue(stale.body().contains("\"written-by\":\"w0\""), stale.body());
    }
  }

  @Test
  void losesNoUpdateOfWritersAtThreeSidecars() throws Exception {
    try (Fleet fleet = fleet(Fleet.node(redis))) {
      assertEquals(200, send(fleet.rig(0), 0, "PUT", "/rules", set(100), NONE).statusCode());
      List<Throwable> failed = Collections.synchronizedList(new ArrayList<>());
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        threads.add(new Thread(() -> addOften(fleet.rig(writer % 3), writer, failed)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), failed);
      HttpResponse<String> last = send(fleet.rig(0), 0, "GET", "/rules/r", "", null);
      assertEquals(100 + WRITERS * ROUNDS, limit(last));
    }
  }

  private void addOften(Rig rig, int writer, List<Throwable> failed) {
    try {
      for (int done = 0; done < ROUNDS; ) {
        HttpResponse<String> read = send(rig, writer, "GET", "/rules/r", "", null);
        HttpResponse<String> put =
            send(rig, writer, "PUT", "/rules/r", rule(limit(read) + 1), etag(read));
        assertEquals(put.statusCode() == 200 ? 200 : 412, put.statusCode(), put.body());
        done += put.statusCode() == 200 ? 1 : 0;
      }
    } catch (Throwable fault) {
      failed.add(fault);
    }
  }

  @Test
  void readsGoOnAndWritesSayWhyWhileRedisIsAway() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        Fleet fleet = fleet("127.0.0.1:" + faults.port())) {
      Rig rig = fleet.rig(0);
      HttpResponse<String> put = send(rig, 0, "PUT", "/rules?wait=10s", set(7), NONE);
      assertEquals(200, put.statusCode(), put.body());
      faults.refuse();
      Await.until(
          "the last good copy",
          () -> "",
          () -> {
            HttpResponse<String> get = send(rig, 0, "GET", "/rules", "", null);
            assertEquals(7, limit(get));
            return get.headers().firstValue("weir-stale").isPresent();
          });
      HttpResponse<String> refused = send(rig, 0, "PUT", "/rules", set(8), etag(put));
      assertEquals(503, refused.statusCode(), refused.body());
      assertTrue(refused.body().contains("redis"), refused.body());
      assertFalse(refused.body().contains("perhaps"), refused.body());
      faults.pass();
      Await.until(
          "a write",
          () -> "",
          () -> send(rig, 1, "PUT", "/rules", set(8), etag(put)).statusCode() == 200);
    }
  }
}
