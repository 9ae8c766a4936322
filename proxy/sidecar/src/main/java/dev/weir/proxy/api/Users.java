package dev.weir.proxy.api;

import dev.weir.proxy.api.UserDirectory.User;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserPage;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** The resources of users: their records, whole; {@link #routes} has those of their parts, too. */
public final class Users {
  static final String USER = "/users/{id/}";

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int MOST_OF_PAGE = 1_000;
  private static final int USUAL_PAGE = 100;

  private final UserDirectory directory;
  private final UserLimits limits;
  private final InstantSource clock;

  /**
   * @param rules in use.
   * @param store null if no records are kept.
   */
  public Users(Supplier<RuleSet> rules, RecordStore store, UserLimits limits, InstantSource clock) {
    directory = new UserDirectory(rules, store);
    this.limits = limits;
    this.clock = clock;
  }

  /** All routes of users. */
  public List<ApiRoute> routes() {
    List<ApiRoute> routes = new ArrayList<>();
    routes.add(ApiRoute.of(HttpMethod.GET, USER, Role.VIEWER, this::get));
    routes.add(
        ApiRoute.of(HttpMethod.PUT, USER, Role.EDITOR, this::put)
            .withBody(ApiRoute.RECORD_BYTES)
            .taking(ApiRequest.DRY_RUN, ApiRequest.REASON));
    routes.add(
        ApiRoute.of(HttpMethod.DELETE, USER, Role.EDITOR, this::delete)
            .taking(ApiRequest.DRY_RUN, ApiRequest.REASON));
    routes.add(
        ApiRoute.of(HttpMethod.GET, "/users", Role.VIEWER, this::list)
            .taking("tier", "has", "after", "most"));
    routes.addAll(UserPart.routes(directory, clock));
    routes.addAll(new UserActs(directory, limits).routes());
    routes.add(new UserBatch(directory, clock).route());
    return routes;
  }

  private Page get(ApiRequest request) throws ApiProblem, RecordStoreException {
    User user = directory.find(UserDirectory.id(request));
    if (!user.isThere()) {
      throw new ApiProblem(404, "No record is kept of this user: the rules alone say the limits.")
          .error("parameter", "id", JsonText.shown(request.path("id")), "a user with a record");
    }
    return request.has(user.version())
        ? Answers.notModified(user.version())
        : user.page(OK, request);
  }

  private Page put(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException {
    RecordVersion expected = request.expected();
    String body = request.body();
    UserRecord record = UserRecord.parse(body);
    String id = UserDirectory.id(request);
    User before = directory.find(id);
    if (!Objects.equals(record.override(), before.known().override())) {
      UserRecord.parse(body, clock.instant()); // one that has ended may stay
    }
    directory.check(record, before);
    Map<String, Object> members =
        UserDirectory.members(JsonText.read(body, UserRecord.MAX_CHARACTERS));
    User written = directory.write(id, expected, members, request);
    boolean isNew = expected.equals(RecordVersion.NONE) && !request.isDryRun();
    return directory.written(isNew ? CREATED : OK, written, request);
  }

  private Page delete(ApiRequest request)
      throws ApiProblem, StaleRecordException, RecordStoreException {
    directory.write(UserDirectory.id(request), request.expected(), null, request);
    return Answers.noContent();
  }

  /** Some users; a page may have fewer than asked for, even none, while another follows. */
  private Page list(ApiRequest request) throws ApiProblem, RecordStoreException {
    String tier = request.query("tier", null);
    String has = request.query("has", "");
    if (!List.of("", "override", "limits").contains(has)) {
      throw ApiProblem.ofParameter("has", has, "override or limits");
    }
    int most = request.count("most", USUAL_PAGE, MOST_OF_PAGE);
    UserPage page = directory.store().users(request.query("after", null), most);
    List<Map<String, Object>> users = new ArrayList<>();
    for (StoredRecord stored : page.users()) {
      User user = UserDirectory.user(stored);
      if (isWanted(user, tier, has)) {
        users.add(user.json(request));
      }
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("users", users);
    json.put("next", page.next());
    return Answers.json(OK, json);
  }

  private boolean isWanted(User user, String tier, String has) throws RecordStoreException {
    try {
      UserRecord record = user.known();
      return (tier == null || tier.equals(record.tier()))
          && switch (has) {
            case "override" ->
                record.override() != null && record.override().holdsAt(clock.instant());
            case "limits" -> !record.limits().isEmpty();
            default -> true;
          };
    } catch (BadRecordException damaged) {
      return tier == null && has.isEmpty();
    }
  }
}
