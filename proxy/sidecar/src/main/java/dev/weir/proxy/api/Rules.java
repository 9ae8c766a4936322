package dev.weir.proxy.api;

import dev.weir.proxy.control.Adoption;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.control.RuleDocument;
import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.watch.SmallFile;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Matcher;

/**
 * The resources of rules: the set as one document, and each rule. A set is compiled before it is
 * written, as this sidecar would take it. One that could not be taken is refused.
 */
public final class Rules {
  /** The longest set: as long as a settings file may be. */
  static final int SET_BYTES = SmallFile.MAX_BYTES;

  private static final String SET = "/rules";
  private static final String RULE = "/rules/{id}";
  private static final String WAIT = "wait";
  private static final int OK = 200;
  private static final int CREATED = 201;

  private static final long MOST_WAIT_NS = 10_000_000_000L;

  /** How often a change of one rule begins anew, as others have changed other rules meanwhile. */
  private static final int MOST_TRIES = 50;

  private static final RecordName WHOLE = new RecordName(Kind.PART, "");
  private static final RecordName ORDER = new RecordName(Kind.PART, RecordedRules.ORDER);

  private final RecordsInUse records;
  private final Supplier<RecordSet> file;

  /**
   * @param records null if none are kept.
   * @param file the rules of the settings file; it gives null if there is no file.
   */
  public Rules(RecordsInUse records, Supplier<RecordSet> file) {
    this.records = records;
    this.file = file;
  }

  /** All routes of rules. */
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.of(HttpMethod.GET, SET, Role.VIEWER, this::getSet),
        write(HttpMethod.PUT, SET, this::putSet).withBody(SET_BYTES),
        write(HttpMethod.POST, SET, this::post).withBody(ApiRoute.RECORD_BYTES),
        write(HttpMethod.DELETE, SET, this::deleteSet),
        ApiRoute.of(HttpMethod.GET, RULE, Role.VIEWER, this::getRule),
        write(HttpMethod.PUT, RULE, this::putRule).withBody(ApiRoute.RECORD_BYTES),
        write(HttpMethod.DELETE, RULE, this::deleteRule));
  }

  private static ApiRoute write(HttpMethod method, String path, LateApiHandler handler) {
    return ApiRoute.late(method, path, Role.EDITOR, handler)
        .taking(ApiRequest.DRY_RUN, WAIT, ApiRequest.REASON);
  }

  private Page getSet(ApiRequest request)
      throws ApiProblem, BadRecordException, RecordStoreException {
    PresentRules present = present();
    Page page =
        request.has(present.version())
            ? Answers.notModified(present.version())
            : Answers.json(OK, RuleDocument.of(present.set()), present.version());
    return present.told(page);
  }

  private Page getRule(ApiRequest request) throws ApiProblem, BadRecordException {
    PresentRules present = present();
    StoredRecord rule = find(present.set(), rule(request.path("id")));
    if (rule == null) {
      throw new ApiProblem(404, "No rule has this id.")
          .error("parameter", "id", JsonText.shown(request.path("id")), "the id of a rule");
    }
    Page page =
        request.has(rule.version())
            ? Answers.notModified(rule.version())
            : Answers.json(OK, RuleDocument.value(rule), rule.version());
    return present.told(page);
  }

  private PresentRules present() throws ApiProblem {
    PresentRules present = PresentRules.find(records, file.get());
    if (present.set() == null) {
      throw ApiProblem.of(
          404,
          "The rules in use are flags of the command line, which are no document",
          "PUT /rules with If-None-Match: *, as weir rules push --version 0-00000000 sends it");
    }
    return present;
  }

  private static RecordName rule(String id) {
    return new RecordName(Kind.RULE, id);
  }

  /** A record of a set; null if it has none of the name. */
  private static StoredRecord find(RecordSet set, RecordName name) {
    return set.records().stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
  }

  private RecordStore store() throws ApiProblem {
    if (records == null) {
      throw ApiProblem.of(
          409,
          "The rules are the file's, as no records are kept",
          "records.store in the settings, redis or file");
    }
    return records.store();
  }

  private CompletionStage<Page> putSet(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expected();
    Duration wait = wait(request);
    byte[] document = json(request, SET_BYTES).getBytes(StandardCharsets.UTF_8);
    RecordSet stored = store().rules();
    checkSeen(stored, expected);
    Reading reading = records.compile(document);
    refuse(reading, WHOLE);
    Faults none = Faults.ofFile("");
    RecordSet after = RecordedRules.ofDocument(document, none);
    if (after == null) {
      throw new IllegalStateException("what was compiled is no set: " + none);
    }
    RecordSet before = PresentRules.of(records, stored, file.get()).set();
    return change(request, wait, new Change(OK, stored, before, after, reading));
  }

  /** Deletes the set, so that the rules of each sidecar's file hold again. */
  private CompletionStage<Page> deleteSet(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expected();
    Duration wait = wait(request);
    RecordSet stored = store().rules();
    checkSeen(stored, expected);
    checkIsPresent(stored);
    RecordSet none = new RecordSet(stored.head(), List.of());
    Reading nothing = new Reading(null, List.of(), List.of());
    return change(request, wait, new Change(OK, stored, stored, none, nothing));
  }

  /**
   * A change of the whole set.
   *
   * @param status of the answer.
   * @param stored what is in the store.
   * @param before what the change is compared with; null for nothing.
   */
  private record Change(
      int status, RecordSet stored, RecordSet before, RecordSet after, Reading reading) {
    Map<String, Object> told() throws BadRecordException {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("changes", RuleChanges.rows(before == null ? RecordSet.NONE : before, after));
      json.put("warnings", reading.warnings().stream().map(Rules::warning).toList());
      return json;
    }

    List<RecordWrite> writes() {
      return RuleChanges.writes(stored, after);
    }
  }

  private CompletionStage<Page> change(ApiRequest request, Duration wait, Change change)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    Map<String, Object> told = change.told();
    List<RecordWrite> writes = change.writes();
    if (request.isDryRun()) {
      return CompletableFuture.completedFuture(Answers.json(OK, told));
    }
    RecordVersion version =
        writes.isEmpty()
            ? change.stored().head()
            : store().writeRules(change.stored().head(), writes, request.author());
    return answer(change, told, version, writes, wait);
  }

  private CompletionStage<Page> post(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    String body = json(request, ApiRoute.RECORD_BYTES);
    if (!(JsonText.read(body, ApiRoute.RECORD_BYTES) instanceof Map<?, ?> members)
        || !(members.get("id") instanceof String id)) {
      throw bad("/id", "missing", "the id of the rule");
    }
    if (find(store().rules(), rule(id)) != null) {
      throw new ApiProblem(409, "A rule of this id is there already; PUT changes it.")
          .error("pointer", "/id", JsonText.shown(id), "an id that no rule has");
    }
    return changeRule(request, rule(id), body, RecordVersion.NONE);
  }

  private CompletionStage<Page> putRule(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expected();
    RecordName name = rule(request.path("id"));
    String body = json(request, ApiRoute.RECORD_BYTES);
    if (!(JsonText.read(body, ApiRoute.RECORD_BYTES) instanceof Map<?, ?> members)) {
      throw bad("", JsonText.shown(body), "a rule, as an object");
    }
    if (!members.containsKey("id")) {
      String id = "\"id\":" + JsonText.write(name.id()) + (members.isEmpty() ? "" : ",");
      body = body.replaceFirst("[{]", "{" + Matcher.quoteReplacement(id));
    }
    return changeRule(request, name, body, expected);
  }

  private CompletionStage<Page> deleteRule(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    return changeRule(request, rule(request.path("id")), null, request.expected());
  }

  /**
   * Changes one rule, and tries again when another one has changed meanwhile: the set is compiled
   * as it will be.
   *
   * @param json null to delete it.
   * @param expected the version that the rule has now.
   */
  private CompletionStage<Page> changeRule(
      ApiRequest request, RecordName name, String json, RecordVersion expected)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    Duration wait = wait(request);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      RecordSet stored = store().rules();
      checkIsPresent(stored);
      StoredRecord present = find(stored, name);
      RecordVersion version = present == null ? RecordVersion.NONE : present.version();
      List<RecordWrite> writes = new ArrayList<>();
      writes.add(new RecordWrite(name, expected, json));
      RecordSet after = replaced(stored, name, json);
      if (!after.isPresent()) {
        writes.add(new RecordWrite(ORDER, null, "[]")); // a set without rules is a set
      }
      boolean isSeen = version.equals(expected);
      Reading reading = isSeen ? records.compile(after) : null;
      if (isSeen) {
        refuse(reading, name);
      } else if (request.isDryRun()) {
        throw new StaleRecordException(name, version, "");
      }
      int status = present == null && json != null ? CREATED : OK;
      Change change = new Change(status, stored, stored, after, reading);
      if (request.isDryRun()) {
        return CompletableFuture.completedFuture(Answers.json(OK, change.told()));
      }
      try {
        RecordVersion written = store().writeRules(stored.head(), writes, request.author());
        return answer(change, change.told(), written, writes, wait);
      } catch (StaleRecordException stale) {
        if (stale.name().equals(name)) {
          throw stale;
        }
      }
    }
    throw new ApiProblem(503, "Others change the rules all the time; try again.")
        .field("Retry-After", "1");
  }

  private static RecordSet replaced(RecordSet set, RecordName name, String json) {
    List<StoredRecord> records = new ArrayList<>(set.records());
    records.removeIf(record -> record.name().equals(name));
    if (json != null) {
      records.add(new StoredRecord(name, RecordVersion.NONE, json));
    }
    List<RecordName> damaged = new ArrayList<>(set.damaged());
    damaged.remove(name);
    return new RecordSet(set.head(), records, damaged);
  }

  private CompletionStage<Page> answer(
      Change change,
      Map<String, Object> told,
      RecordVersion version,
      List<RecordWrite> writes,
      Duration wait)
      throws ApiProblem {
    List<RecordName> written = writes.stream().map(RecordWrite::name).toList();
    told.put("replicated", written.isEmpty() ? null : store().isCopied(written));
    if (wait == null) {
      return CompletableFuture.completedFuture(Answers.json(change.status(), told, version));
    }
    return records
        .adoption(version, wait)
        .thenApply(
            adoption -> {
              told.put("sidecars", adoption == null ? null : json(adoption));
              return Answers.json(change.status(), told, version);
            });
  }

  private static Map<String, Object> json(Adoption adoption) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("live", adoption.live());
    json.put("using", adoption.using());
    json.put("refusing", adoption.refusing());
    return json;
  }

  /** How long to wait for all sidecars; null to ask none. */
  private static Duration wait(ApiRequest request) throws ApiProblem {
    String text = request.query(WAIT, null);
    if (text == null) {
      return null;
    }
    Duration wait =
        text.matches("[0-9]{1,5}ms")
            ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
            : text.matches("[0-9]{1,2}s")
                ? Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)))
                : null;
    if (wait == null || wait.toNanos() > MOST_WAIT_NS) {
      throw ApiProblem.ofParameter(WAIT, text, "a time such as 1s or 500ms, at most 10s");
    }
    return wait;
  }

  /** The body, of which it is known that it is JSON. */
  static String json(ApiRequest request, int most) throws BadRecordException {
    String body = request.body();
    JsonText.read(body, most);
    return body.replace('\t', ' '); // between values only, where YAML takes blanks
  }

  private static BadRecordException bad(String pointer, String found, String expected) {
    return new BadRecordException(List.of(new RecordFault(pointer, 0, found, expected)));
  }

  private void checkSeen(RecordSet stored, RecordVersion expected)
      throws StaleRecordException, RecordStoreException {
    RecordVersion present = stored.isPresent() ? stored.head() : RecordVersion.NONE;
    if (!present.equals(expected)) {
      throw new StaleRecordException(WHOLE, present, author(stored));
    }
  }

  /** Who wrote a set last; empty if it is not known. */
  private String author(RecordSet stored) throws RecordStoreException {
    for (StoredRecord record : stored.records()) {
      if (record.version().equals(stored.head())) {
        AuditQuery last = new AuditQuery(null, null, null, record.name().id(), null, 1);
        List<AuditEntry> entries = records.store().audit(last).entries();
        return entries.isEmpty() ? "" : entries.get(0).author().name();
      }
    }
    return "";
  }

  private void checkIsPresent(RecordSet stored) throws ApiProblem {
    if (!stored.isPresent()) {
      throw ApiProblem.of(
          409,
          PresentRules.isLost(records, stored)
              ? "The store has lost its records"
              : "The rules are the file's",
          "PUT /rules first, with all of them");
    }
  }

  /** Refuses a document that could not be taken. */
  static void refuse(Reading reading) throws BadRecordException {
    refuse(reading, WHOLE);
  }

  /**
   * Refuses a set that could not be taken.
   *
   * @param name of the record that the body has; faults of others are told by their own names.
   */
  private static void refuse(Reading reading, RecordName name) throws BadRecordException {
    if (!reading.faults().isEmpty()) {
      throw new BadRecordException(
          reading.faults().stream().map(fault -> ofBody(fault, name)).toList());
    }
  }

  /** A warning of a document with its line; of one record, the record's name says where it is. */
  private static String warning(RecordedFault warning) {
    boolean hasLine = warning.record().equals(WHOLE) && warning.line() > 0;
    return (hasLine ? "line " + warning.line() + ": " : "") + warning;
  }

  private static RecordFault ofBody(RecordedFault fault, RecordName name) {
    if (fault.record().equals(name)) {
      return new RecordFault(fault.pointer(), fault.line(), fault.found(), fault.expected());
    }
    String where = fault.record().id().isEmpty() ? "" : fault.record().id() + ": ";
    return new RecordFault("", 0, where + fault.found(), fault.expected());
  }
}
