package dev.weir.proxy.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.records.UserWritten;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes many users by one request, one a line: {@code {"id": "ann", "record": {...}}}. A line that
 * is refused stops no other; each has its result.
 */
final class UserBatch {
  static final String PATH = "/users:batch";

  private static final int MOST_LINES = 10_000;
  private static final int MOST_BYTES = 8 << 20;
  private static final int LINES_PER_WRITE = 100;

  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int STALE = 412;
  private static final int UNPROCESSABLE = 422;

  private static final Set<String> MEMBERS = Set.of("id", "record", "if-match");
  private static final String EXPECTED = "id, record or if-match";

  private final UserDirectory directory;
  private final InstantSource clock;

  UserBatch(UserDirectory directory, InstantSource clock) {
    this.directory = directory;
    this.clock = clock;
  }

  ApiRoute route() {
    return ApiRoute.of(HttpMethod.POST, PATH, Role.ADMIN, this::post)
        .withBody(MOST_BYTES, ApiRoute.LINES)
        .taking(ApiRequest.DRY_RUN, ApiRequest.REASON)
        .asLong();
  }

  private Page post(ApiRequest request)
      throws ApiProblem, BadRecordException, RecordStoreException {
    List<String> lines = request.body().lines().toList();
    if (lines.size() > MOST_LINES) {
      throw fault("", lines.size() + " lines", "at most " + MOST_LINES);
    }
    directory.store();
    if (lines.size() > LINES_PER_WRITE) {
      request.chargeWrites((lines.size() - 1) / LINES_PER_WRITE); // beside that of each request
    }
    List<Map<String, Object>> results = new ArrayList<>();
    List<RecordWrite> writes = new ArrayList<>();
    List<Map<String, Object>> written = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < lines.size(); i++) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("line", i + 1);
      results.add(result);
      try {
        writes.add(write(lines.get(i), ids, result));
        written.add(result);
      } catch (BadRecordException bad) {
        result.put("status", UNPROCESSABLE);
        result.put("errors", Answers.faults(bad.faults()));
      }
    }
    List<UserWritten> all =
        request.isDryRun()
            ? rehearsed(writes)
            : writes.isEmpty() ? List.of() : directory.store().writeUsers(writes, request.author());
    Boolean replicated =
        request.isDryRun() || writes.isEmpty()
            ? null
            : directory.store().isCopied(writes.stream().map(RecordWrite::name).toList());
    for (int i = 0; i < all.size(); i++) {
      tell(all.get(i), writes.get(i), written.get(i));
      if (!request.isDryRun() && all.get(i).stale() == null) {
        written.get(i).put("replicated", replicated);
      }
    }
    StringBuilder body = new StringBuilder();
    results.forEach(result -> body.append(JsonText.write(result)).append('\n'));
    return new Page(
        HttpResponseStatus.OK, ApiRoute.LINES, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** What would become of some writes. */
  private List<UserWritten> rehearsed(List<RecordWrite> writes)
      throws ApiProblem, RecordStoreException {
    List<UserWritten> all = new ArrayList<>();
    for (RecordWrite write : writes) {
      try {
        all.add(new UserWritten(directory.rehearse(write), null));
      } catch (StaleRecordException stale) {
        all.add(new UserWritten(null, stale));
      }
    }
    return all;
  }

  private RecordWrite write(String line, Set<String> ids, Map<String, Object> result)
      throws ApiProblem, BadRecordException, RecordStoreException {
    Map<String, Object> members = members(line);
    String id = id(members, ids);
    result.put("id", id);
    RecordVersion expected = expected(members);
    Object record = members.get("record");
    if (record == null) {
      return new RecordWrite(UserDirectory.name(id), expected, null);
    }
    String json = JsonText.write(record);
    try {
      check(id, UserRecord.parse(json));
    } catch (BadRecordException bad) {
      throw new BadRecordException(bad.faults().stream().map(UserBatch::ofLine).toList());
    }
    return new RecordWrite(UserDirectory.name(id), expected, json);
  }

  private static RecordFault ofLine(RecordFault fault) {
    return new RecordFault(
        "/record" + fault.pointer(), fault.line(), fault.found(), fault.expected());
  }

  /** An override that has ended may be written: that of who puts back what was exported. */
  private void check(String id, UserRecord record)
      throws ApiProblem, BadRecordException, RecordStoreException {
    Instant latest = clock.instant().plus(UserOverride.LONGEST);
    UserOverride override = record.override();
    if (override != null && override.until().isAfter(latest)) {
      throw fault("/override/until", override.until().toString(), "a time not after " + latest);
    }
    if (!UserCheck.faults(directory.rules(), record, UserRecord.EMPTY).isEmpty()) {
      directory.check(record, directory.find(id)); // it may be there already
    }
  }

  private static Map<String, Object> members(String line) throws BadRecordException {
    Object tree = JsonText.read(line, 2 * UserRecord.MAX_CHARACTERS);
    if (!(tree instanceof Map<?, ?>)) {
      throw fault("", JsonText.shown(tree), "an object with " + EXPECTED);
    }
    Map<String, Object> members = UserDirectory.members(tree);
    for (String name : members.keySet()) {
      if (!MEMBERS.contains(name)) {
        throw fault(JsonText.pointer("", JsonText.shown(name)), "unknown", EXPECTED);
      }
    }
    if (!members.containsKey("record")) {
      throw fault("/record", "missing", "a record, or null to remove it");
    }
    return members;
  }

  private static String id(Map<String, Object> members, Set<String> ids) throws BadRecordException {
    if (!(members.get("id") instanceof String id)) {
      throw fault("/id", JsonText.shown(members.get("id")), "the identity of a user");
    }
    if (!UserDirectory.isId(id)) {
      throw fault("/id", JsonText.shown(id), UserDirectory.ID);
    }
    if (!ids.add(id)) {
      throw fault("/id", JsonText.shown(id), "each user once in a request");
    }
    return id;
  }

  private static RecordVersion expected(Map<String, Object> members) throws BadRecordException {
    Object expected = members.get("if-match");
    if (expected == null) {
      return null;
    }
    try {
      return RecordVersion.parse(String.valueOf(expected));
    } catch (IllegalArgumentException other) {
      throw fault("/if-match", JsonText.shown(expected), "an ETag, such as 17-9f3a21bc");
    }
  }

  private static BadRecordException fault(String pointer, String found, String expected) {
    return new BadRecordException(List.of(new RecordFault(pointer, 0, found, expected)));
  }

  private static void tell(UserWritten written, RecordWrite write, Map<String, Object> result) {
    StaleRecordException stale = written.stale();
    if (stale == null) {
      result.put("status", write.json() == null ? NO_CONTENT : OK);
      if (write.json() != null) {
        result.put("etag", written.version().toString());
      }
    } else {
      result.put("status", STALE);
      result.put("detail", "It was changed since you read it; nothing was written.");
      result.put("present", stale.present().toString());
    }
  }
}
