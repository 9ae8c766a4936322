package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /reload} and {@code /sidecars}, over sockets. */
@Timeout(60)
class ReloadTest {
  private static final String SETTINGS =
      "upstream: http://127.0.0.1:8080\nrules: [{id: a, limit: 1/1s}]\n";

  @TempDir private Path folder;

  private final MemoryRecords records = new MemoryRecords(SETTINGS);
  private final AtomicInteger count = new AtomicInteger();
  private volatile List<RecordedFault> faults = List.of();

  private ReloadedFiles reload() {
    count.incrementAndGet();
    ReloadedFiles files = new ReloadedFiles(faults, List.of("listen"));
    files.add("settings", faults.isEmpty());
    files.add("lists", true);
    return files;
  }

  private ApiRig rig() throws Exception {
    return ApiRig.withTokens(
        folder,
        List.of(new Reload(records.store(), this::reload).route(), new Sidecars(records).route()));
  }

  @Test
  void readsFilesAgainForAdminsAlone() throws Exception {
    try (ApiRig rig = rig()) {
      assertEquals(403, rig.send(ApiRig.EDITOR, "POST", "/reload", null).statusCode());
      assertEquals(403, rig.send(ApiRig.VIEWER, "POST", "/reload", null).statusCode());
      assertEquals(401, rig.send(null, "POST", "/reload", null).statusCode());
      assertEquals(405, rig.get(ApiRig.ADMIN, "/reload").statusCode());
      assertEquals(0, count.get());
      HttpResponse<String> done = rig.send(ApiRig.ADMIN, "POST", "/reload?reason=new+list", null);
      assertEquals(200, done.statusCode(), done.body());
      assertEquals(
          "{\"files\":[{\"files\":\"settings\",\"in-use\":true},{\"files\":\"lists\",\"in-use\":true}],"
              + "\"waiting-for-restart\":[\"listen\"]}",
          done.body().strip());
      assertEquals(List.of("reload file ada new list"), records.notes);
    }
  }

  @Test
  void tellsFaultsByTheirPlaces() throws Exception {
    faults =
        List.of(
            new RecordedFault(
                new RecordName(RecordName.Kind.PART, ""),
                "",
                "/rules/0/limit",
                2,
                "0/1s",
                "1 or more per window"));
    try (ApiRig rig = rig()) {
      HttpResponse<String> bad = rig.send(ApiRig.ADMIN, "POST", "/reload", null);
      assertEquals(422, bad.statusCode(), bad.body());
      assertTrue(
          bad.body()
              .contains(
                  "{\"pointer\":\"/rules/0/limit\",\"line\":2,\"found\":\"0/1s\","
                      + "\"expected\":\"1 or more per window\"}"),
          bad.body());
      assertTrue(bad.body().contains("{\"files\":\"settings\",\"in-use\":false}"), bad.body());
    }
  }

  @Test
  void readsNothingAgainThatCannotBeAudited() throws Exception {
    records.readOnly = "the disk is full";
    try (ApiRig rig = rig()) {
      HttpResponse<String> full = rig.send(ApiRig.ADMIN, "POST", "/reload", null);
      assertEquals(503, full.statusCode(), full.body());
      assertEquals(0, count.get());
    }
  }

  @Test
  void showsWhoFollowsWhichVersion() throws Exception {
    RecordName rule = new RecordName(RecordName.Kind.RULE, "a");
    RecordVersion version = new RecordVersion(2, 0xabc);
    records.inUse =
        new RecordSet(
            version, List.of(new StoredRecord(rule, version, "{\"id\":\"a\",\"limit\":\"1/1s\"}")));
    try (ApiRig rig = rig()) {
      assertEquals(
          "{\"sidecars\":[{\"id\":\"a1\",\"version\":\"2-00000abc\",\"refused\":null},"
              + "{\"id\":\"b2\",\"version\":\"1-00000abc\",\"refused\":\"2-00000abc\"}],"
              + "\"here\":{\"version\":\"2-00000abc\",\"refused\":null,\"faults\":[]}}",
          rig.get(ApiRig.VIEWER, "/sidecars").body().strip());
      records.away = "redis: does not answer";
      HttpResponse<String> away = rig.get(ApiRig.VIEWER, "/sidecars");
      assertEquals("12", ApiRig.field(away, "weir-stale"));
      assertEquals(
          "{\"sidecars\":[],"
              + "\"here\":{\"version\":\"2-00000abc\",\"refused\":null,\"faults\":[]},"
              + "\"unknown\":\"redis: does not answer\"}",
          away.body().strip());
    }
    try (ApiRig without = ApiRig.withTokens(folder, List.of(new Sidecars(null).route()))) {
      assertEquals(
          "{\"sidecars\":[],\"here\":{\"version\":\"0-00000000\",\"refused\":null,\"faults\":[]}}",
          without.get(ApiRig.VIEWER, "/sidecars").body().strip());
    }
  }
}
