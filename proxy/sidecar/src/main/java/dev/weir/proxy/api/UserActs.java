package dev.weir.proxy.api;

import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The resources of a user that are no records: the limits as they are now, a reset, a ban. Each act
 * is noted in the audit before it is done: what cannot be audited is not done.
 */
final class UserActs {
  private static final int OK = 200;
  private static final int MAX_BODY_BYTES = 1_000;
  private static final long LONGEST_BAN_NS = TimeUnit.DAYS.toNanos(365);

  private final UserDirectory directory;
  private final UserLimits limits;

  UserActs(UserDirectory directory, UserLimits limits) {
    this.directory = directory;
    this.limits = limits;
  }

  List<ApiRoute> routes() {
    return List.of(
        ApiRoute.late(HttpMethod.GET, Users.USER + "/limits", Role.VIEWER, this::look),
        writing(HttpMethod.POST, "/reset", this::reset).withBody(MAX_BODY_BYTES),
        writing(HttpMethod.POST, "/ban", this::ban).withBody(MAX_BODY_BYTES),
        writing(HttpMethod.DELETE, "/ban", this::unban));
  }

  private static ApiRoute writing(HttpMethod method, String path, LateApiHandler handler) {
    return ApiRoute.late(method, Users.USER + path, Role.EDITOR, handler).taking(ApiRequest.REASON);
  }

  private CompletionStage<Page> look(ApiRequest request) throws ApiProblem {
    String id = UserDirectory.id(request);
    key();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", request.shown(id));
    return limits
        .look(id)
        .thenApply(
            all -> {
              json.put("limits", all.stream().map(UserLimit::json).toList());
              return Answers.json(OK, json);
            });
  }

  private CompletionStage<Page> reset(ApiRequest request)
      throws ApiProblem, BadRecordException, RecordStoreException {
    String id = UserDirectory.id(request);
    String limit = limit(text(members(request, "limit"), "limit"));
    note("reset", limit, id, request.author());
    return limits.reset(id, limit).thenApply(fault -> fault == null ? done() : undone(fault));
  }

  private CompletionStage<Page> ban(ApiRequest request)
      throws ApiProblem, BadRecordException, RecordStoreException {
    String id = UserDirectory.id(request);
    String text = text(members(request, "for"), "for");
    long forNs = forNs(text);
    checkBans();
    note("ban", text, id, request.author());
    return limits.ban(id, forNs).thenApply(nothing -> done());
  }

  private CompletionStage<Page> unban(ApiRequest request) throws ApiProblem, RecordStoreException {
    String id = UserDirectory.id(request);
    checkBans();
    note("unban", null, id, request.author());
    return limits.ban(id, 0).thenApply(nothing -> done());
  }

  /**
   * Notes an act.
   *
   * @param told how long, or which limit, which the entry's reason begins with; null for nothing.
   */
  private void note(String act, String told, String id, Author author)
      throws ApiProblem, RecordStoreException {
    String reason = author.reason();
    String whole = told == null ? reason : reason.isEmpty() ? told : told + ": " + reason;
    Author of = new Author(author.name(), author.from(), author.requestId(), whole);
    directory.store().note(act, UserDirectory.name(id), of);
  }

  private static Page done() {
    return Answers.noContent();
  }

  private static Page undone(String fault) {
    return Answers.problem(new ApiProblem(503, "Not all budgets could be reset: " + fault + "."));
  }

  /** The members of a body, which may be empty; others than one are refused. */
  private static Map<String, Object> members(ApiRequest request, String only)
      throws BadRecordException {
    if (request.bytes().length == 0) {
      return Map.of();
    }
    Object tree = JsonText.read(request.body(), MAX_BODY_BYTES);
    if (!(tree instanceof Map<?, ?>)) {
      throw fault("", JsonText.shown(tree), "an object with " + only);
    }
    Map<String, Object> members = UserDirectory.members(tree);
    for (String name : members.keySet()) {
      if (!name.equals(only)) {
        throw fault(JsonText.pointer("", JsonText.shown(name)), "unknown", only);
      }
    }
    return members;
  }

  private static String text(Map<String, Object> members, String name) throws BadRecordException {
    Object value = members.get(name);
    if (value != null && !(value instanceof String)) {
      throw fault("/" + name, JsonText.shown(value), "a text");
    }
    return (String) value;
  }

  /** The name of a limit, if there is such a one. */
  private String limit(String name) throws ApiProblem, BadRecordException {
    KeySpec user = key();
    TreeSet<String> names = new TreeSet<>();
    for (Rule rule : directory.rules().rules()) {
      for (Budget budget : rule.budgets()) {
        if (budget.spec().key().equals(user)) {
          names.add(budget.policy().name());
        }
      }
    }
    if (name != null && !names.contains(name)) {
      String expected = UserCheck.oneOf("a limit of users", List.copyOf(names));
      throw fault("/limit", JsonText.shown(name), expected);
    }
    return name;
  }

  private static long forNs(String text) throws BadRecordException {
    if (text == null) {
      throw fault("/for", "missing", DurationText.EXPECTED);
    }
    try {
      long ns = DurationText.parseNs(text);
      if (ns <= LONGEST_BAN_NS) {
        return ns;
      }
    } catch (BadValueException bad) {
      throw fault("/for", JsonText.shown(bad.value()), bad.expected());
    }
    throw fault("/for", text, "at most " + DurationText.text(LONGEST_BAN_NS));
  }

  /** The key that tells users apart. */
  private KeySpec key() throws ApiProblem {
    if (directory.rules().users() == null) {
      throw ApiProblem.of(
          409, "The rules do not say who the users are", "users.identity of the rules");
    }
    return directory.rules().users().identity();
  }

  private void checkBans() throws ApiProblem {
    KeySpec user = key();
    boolean isAny =
        directory.rules().rules().stream()
            .filter(rule -> rule.bans() != null)
            .flatMap(rule -> rule.budgets().stream())
            .anyMatch(budget -> budget.spec().key().equals(user));
    if (!isAny) {
      throw ApiProblem.of(409, "No rule can ban users", "a rule with ban, and a limit by " + user);
    }
  }

  private static BadRecordException fault(String pointer, String found, String expected) {
    return new BadRecordException(List.of(new RecordFault(pointer, 0, found, expected)));
  }
}
