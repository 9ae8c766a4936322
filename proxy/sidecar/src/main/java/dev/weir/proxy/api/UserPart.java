package dev.weir.proxy.api;

import dev.weir.proxy.api.UserDirectory.User;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of a user's record as a resource of its own: {@code tier}, {@code limits/NAME} or {@code
 * override}. Its JSON is that of the record; its ETag is the record's.
 */
final class UserPart {
  private static final int OK = 200;
  private static final int CREATED = 201;

  /** How often a write without a condition begins again, as somebody else has written. */
  private static final int MOST_ATTEMPTS = 10;

  private static final String LIMITS = "limits";
  private static final String OVERRIDE = "override";

  private final UserDirectory directory;
  private final InstantSource clock;
  private final String member;

  private UserPart(UserDirectory directory, InstantSource clock, String member) {
    this.directory = directory;
    this.clock = clock;
    this.member = member;
  }

  static List<ApiRoute> routes(UserDirectory directory, InstantSource clock) {
    UserPart override = new UserPart(directory, clock, OVERRIDE);
    List<ApiRoute> routes = new ArrayList<>();
    routes.addAll(new UserPart(directory, clock, "tier").routes("/tier"));
    routes.addAll(new UserPart(directory, clock, LIMITS).routes("/limits/{name}"));
    routes.addAll(override.routes("/override"));
    routes.add(override.writing(HttpMethod.POST, "/override", override::post));
    return routes;
  }

  private List<ApiRoute> routes(String path) {
    return List.of(
        ApiRoute.of(HttpMethod.GET, Users.USER + path, Role.VIEWER, this::get),
        writing(HttpMethod.PUT, path, this::put),
        ApiRoute.of(HttpMethod.DELETE, Users.USER + path, Role.EDITOR, this::delete)
            .taking(ApiRequest.DRY_RUN, ApiRequest.REASON));
  }

  private ApiRoute writing(HttpMethod method, String path, ApiHandler handler) {
    return ApiRoute.of(method, Users.USER + path, Role.EDITOR, handler)
        .withBody(ApiRoute.RECORD_BYTES)
        .taking(ApiRequest.DRY_RUN, ApiRequest.REASON);
  }

  private Page get(ApiRequest request) throws ApiProblem, RecordStoreException {
    User user = directory.find(UserDirectory.id(request));
    Object value = value(user, request);
    if (value == null) {
      throw missing(request);
    }
    return request.has(user.version())
        ? Answers.notModified(user.version())
        : Answers.json(OK, value, user.version());
  }

  private Page put(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    return write(request, request.expected());
  }

  /** Writes as PUT does; without a condition it changes whatever is there. */
  private Page post(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expectedIfSaid();
    for (int attempt = 1; ; attempt++) {
      try {
        return write(request, expected);
      } catch (StaleRecordException meanwhile) {
        if (expected != null || attempt == MOST_ATTEMPTS) {
          throw meanwhile;
        }
      }
    }
  }

  /**
   * @param expected the record's version; {@link RecordVersion#NONE} if the part must not be there;
   *     null for any.
   */
  private Page write(ApiRequest request, RecordVersion expected)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    Object value = JsonText.read(request.body(), UserRecord.MAX_CHARACTERS);
    if (value == null) {
      throw new BadRecordException(
          List.of(new RecordFault("", 0, "null", "a value; DELETE removes the part")));
    }
    User user = directory.find(UserDirectory.id(request));
    boolean isThere = value(user, request) != null;
    try {
      UserRecord alone =
          UserRecord.parse(JsonText.write(with(Map.of(), request, value)), clock.instant());
      directory.check(alone, user);
    } catch (BadRecordException bad) {
      throw within(bad, pointer(request));
    }
    if (RecordVersion.NONE.equals(expected) && isThere) {
      throw new StaleRecordException(UserDirectory.name(user.id()), user.version(), "");
    }
    Map<String, Object> record = with(user.record(), request, value);
    checkSize(record);
    return directory.written(
        isThere || request.isDryRun() ? OK : CREATED,
        written(user, expected, record, request),
        request);
  }

  private Page delete(ApiRequest request)
      throws ApiProblem, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expected();
    User user = directory.find(UserDirectory.id(request));
    if (value(user, request) == null) {
      throw missing(request);
    }
    Map<String, Object> record = with(user.record(), request, null);
    return directory.written(OK, written(user, expected, record, request), request);
  }

  private User written(
      User user, RecordVersion expected, Map<String, Object> record, ApiRequest request)
      throws ApiProblem, StaleRecordException, RecordStoreException {
    boolean isSaid = expected != null && !expected.equals(RecordVersion.NONE);
    RecordVersion version = isSaid ? expected : user.version();
    return directory.write(user.id(), version, record, request);
  }

  private ApiProblem missing(ApiRequest request) {
    String name = isNamed() ? "name" : "id";
    return new ApiProblem(404, "The record of this user has no such part: " + member + ".")
        .error("parameter", name, JsonText.shown(request.path(name)), "of a record with " + member);
  }

  private Object value(User user, ApiRequest request) {
    Object value = user.record().get(member);
    return isNamed() ? UserDirectory.members(value).get(request.path("name")) : value;
  }

  private boolean isNamed() {
    return member.equals(LIMITS);
  }

  /** A record with another value of the part; null for none. */
  private Map<String, Object> with(Map<String, Object> record, ApiRequest request, Object value) {
    if (!isNamed()) {
      return changed(record, member, value);
    }
    Map<String, Object> limits =
        changed(UserDirectory.members(record.get(member)), request.path("name"), value);
    return changed(record, member, limits.isEmpty() ? null : limits);
  }

  private static Map<String, Object> changed(Map<String, Object> of, String name, Object value) {
    Map<String, Object> changed = new LinkedHashMap<>(of);
    if (value == null) {
      changed.remove(name);
    } else {
      changed.put(name, value);
    }
    return changed;
  }

  private String pointer(ApiRequest request) {
    return isNamed() ? JsonText.pointer("/" + member, request.path("name")) : "/" + member;
  }

  /** Faults of a record as those of the part: the body is no more than that. */
  private static BadRecordException within(BadRecordException bad, String prefix) {
    return new BadRecordException(
        bad.faults().stream()
            .map(
                fault ->
                    fault.pointer().startsWith(prefix)
                        ? new RecordFault(
                            fault.pointer().substring(prefix.length()),
                            fault.line(),
                            fault.found(),
                            fault.expected())
                        : fault)
            .toList());
  }

  private static void checkSize(Map<String, Object> record) throws BadRecordException {
    int limits = UserDirectory.members(record.get(LIMITS)).size();
    int characters = JsonText.write(record).length();
    if (limits > UserRecord.MAX_LIMITS || characters > UserRecord.MAX_CHARACTERS) {
      throw new BadRecordException(
          List.of(
              new RecordFault(
                  "",
                  0,
                  "a record of " + limits + " limits, " + characters + " characters",
                  "at most " + UserRecord.MAX_LIMITS + ", " + UserRecord.MAX_CHARACTERS)));
    }
  }
}
