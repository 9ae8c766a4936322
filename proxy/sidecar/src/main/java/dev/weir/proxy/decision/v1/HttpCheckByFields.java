package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.http.HttpAnswer;
import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import java.util.List;

/**
 * Answers proxies that ask whether a client's request may pass: with 200, or with the response that
 * the client would have got from Weir's own proxy. Rules, keys and the client's address are read
 * from the head of the check, which is the client's except for method and target.
 *
 * <p>Only trusted proxies are answered, as a client could forge the fields.
 */
final class HttpCheckByFields extends HttpCheck {
  private static final String PATH = "/v1/check";

  private final HttpRoute route;
  private final HttpCheckTarget target;
  private final HttpCheckAnswers answers;
  private final Question question = new Question();

  private HttpCheckByFields(
      HttpRoute route,
      Admission admission,
      LoopClock clock,
      HttpCheckTarget target,
      HttpCheckAnswers answers) {
    super(admission, clock);
    this.route = route;
    this.target = target;
    this.answers = answers;
  }

  /**
   * The endpoint for proxies that describe the request in fields, and that for proxies that use the
   * request's own method, and its path behind a prefix.
   */
  static List<HttpEndpoint> endpoints(
      Admission admission, LoopClock clock, AnswerSettings settings) {
    HttpCheckTarget target = new HttpCheckTarget();
    HttpCheckAnswers answers = new HttpCheckAnswers(settings);
    return List.of(
        new HttpCheckByFields(new HttpRoute("GET", PATH), admission, clock, target, answers),
        new HttpCheckByFields(new HttpRoute(null, PATH + "/"), admission, clock, target, answers));
  }

  @Override
  public HttpRoute route() {
    return route;
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.HTTP_AUTH;
  }

  @Override
  public void request(HttpCall call) {
    RequestView head = call.request();
    if (!head.peer().trusted()) {
      String expected = " (expected: one of trusted-proxies)";
      call.answer(403).problem("Forbidden", "peer: " + head.peer().address() + expected).send();
      return;
    }
    String fault =
        route.method() == null ? target.ofPath(head, PATH.length()) : target.ofFields(head);
    if (fault != null) {
      call.answer(400).problem("Bad Request", fault).send();
      return;
    }
    head.contentLength(RequestView.UNKNOWN_LENGTH); // it is that of the check
    ask(call, question.start(Operation.CHECK, Purpose.DECISION).request(head), false);
  }

  @Override
  void answer(HttpCall call, Verdict verdict, boolean isRuleWanted, long atNs) {
    if (!verdict.allowed()) {
      answers.refuse(call, verdict);
      return;
    }
    HttpAnswer answer = call.answer(200);
    answers.writeLimit(answer, verdict);
    answer.send();
  }
}
