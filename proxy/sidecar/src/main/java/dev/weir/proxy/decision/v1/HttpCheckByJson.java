package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.http.HttpAnswer;
import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.decision.proto.JsonMessage.BadJsonException;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimit} for clients without gRPC: the same fields in JSON,
 * with status 200 if allowed and 429 if not.
 */
final class HttpCheckByJson extends HttpCheck {
  private static final FieldName CONTENT_TYPE = FieldName.of("content-type");
  private static final byte[] JSON = HttpRoute.ascii("application/json");
  private static final byte[] TYPE = HttpRoute.ascii("content-type");

  private static final String EXPECTED_TYPE = " (expected: application/json)";

  private final RateLimiterLoop loop;
  private final HttpCheckAnswers answers;
  private final CheckOutcome outcome = new CheckOutcome();
  private final ProtoWriter written = new ProtoWriter(0);

  HttpCheckByJson(RateLimiterLoop loop, AnswerSettings settings) {
    super(loop.admission(), loop.clock());
    this.loop = loop;
    answers = new HttpCheckAnswers(settings);
  }

  @Override
  public HttpRoute route() {
    return new HttpRoute("POST", "/v1/check");
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.HTTP_CHECK;
  }

  @Override
  public void request(HttpCall call) {
    if (!isJson(call.request())) {
      // Not only for order: a page of somebody else's cannot have a browser send this type.
      String type = HttpCheckTarget.value(call.request(), CONTENT_TYPE);
      call.answer(415)
          .problem("Unsupported Media Type", "content-type: " + type + EXPECTED_TYPE)
          .send();
      return;
    }
    AskedCheck asked = loop.asked();
    try {
      DirectBuffer message = JsonCheck.MESSAGE.read(call.body(), written);
      asked.read(message, 0, message.capacity(), true);
    } catch (BadJsonException e) {
      call.answer(400).problem("Bad Request", e.getMessage()).send();
      return;
    }
    CheckQuestion made = loop.made().make(asked, Operation.CHECK, Question.NO_DEADLINE);
    if (made.fault() != null) {
      call.answer(400).problem("Bad Request", made.fault()).send();
      return;
    }
    loop.note(asked);
    ask(call, made.question(), loop.isRuleWanted(asked));
  }

  private static boolean isJson(RequestView head) {
    int field = head.findField(CONTENT_TYPE, 0);
    if (field < 0 || head.valueLength(field) < JSON.length) {
      return false;
    }
    int at = head.valueOffset(field);
    int end = at + head.valueLength(field);
    int typeEnd = at + JSON.length;
    return Ascii.equalsIgnoreCase(head.bytes(), at, JSON.length, JSON)
        && (typeEnd == end || " \t;".indexOf(head.bytes().getByte(typeEnd)) >= 0);
  }

  @Override
  void answer(HttpCall call, Verdict verdict, boolean isRuleWanted, long atNs) {
    outcome.set(verdict, isRuleWanted, false, atNs);
    switch (outcome.status()) {
      case OK -> {
        byte[] body = outcome.json().getBytes(StandardCharsets.UTF_8);
        HttpAnswer answer = call.answer(verdict.allowed() ? 200 : 429).field(TYPE, JSON);
        answers.writeLimit(answer, verdict);
        answer.body(body, body.length).send();
      }
      case INVALID_ARGUMENT -> refuse(call, 400, "Bad Request");
      case NOT_FOUND -> refuse(call, 404, "Not Found");
      default -> refuse(call, 503, verdict.refusal().title());
    }
  }

  private void refuse(HttpCall call, int status, String title) {
    call.answer(status).problem(title, outcome.message()).send();
  }
}
