package dev.weir.proxy.decision.v1;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.weir.proxy.decision.http.HttpAnswer;
import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.decision.proto.JsonMessage.BadJsonException;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.answer.LimitValues;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.agrona.DirectBuffer;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimit} for clients without gRPC: the same fields in JSON,
 * with status 200 if allowed and 429 if not.
 */
final class HttpCheckByJson extends HttpCheck {
  private static final FieldName CONTENT_TYPE = FieldName.of("content-type");
  private static final byte[] JSON = HttpRoute.ascii("application/json");
  private static final byte[] TYPE = HttpRoute.ascii("content-type");

  private final RateLimiterLoop loop;
  private final HttpCheckAnswers answers;
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
      call.answer(415)
          .problem("Unsupported Media Type", "content-type: not application/json")
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
    GrpcStatus status = CheckOutcome.status(verdict.refusal(), false);
    if (status != GrpcStatus.OK) {
      boolean isTheirs = status == GrpcStatus.INVALID_ARGUMENT;
      call.answer(isTheirs ? 400 : 503)
          .problem(
              isTheirs ? "Bad Request" : verdict.refusal().title(),
              CheckOutcome.message(verdict, false))
          .send();
      return;
    }
    if (isRuleWanted && verdict.ruleId() == null) {
      call.answer(404).problem("Not Found", CheckOutcome.NO_RULE).send();
      return;
    }
    byte[] body = json(verdict, atNs).getBytes(StandardCharsets.UTF_8);
    HttpAnswer answer = call.answer(verdict.allowed() ? 200 : 429).field(TYPE, JSON);
    answers.writeLimit(answer, verdict);
    answer.body(body, body.length).send();
  }

  /** A {@code CheckRateLimitResponse}. */
  private static String json(Verdict verdict, long atNs) {
    StringBuilder json = new StringBuilder(256);
    json.append("{\"allowed\":").append(verdict.allowed());
    json.append(",\"current_count\":").append(verdict.current());
    json.append(",\"limit\":").append(verdict.limit());
    json.append(",\"remaining\":").append(verdict.policy() == null ? 0 : verdict.remaining());
    if (verdict.policy() != null) {
      long resetNs = CheckOutcome.unixNs(atNs + verdict.resetAfterNs());
      json.append(",\"reset_at\":\"").append(Instant.ofEpochSecond(0, resetNs)).append('"');
    }
    if (!verdict.allowed() && verdict.retryAfterNs() > 0) {
      BigDecimal seconds = BigDecimal.valueOf(verdict.retryAfterNs(), 9).stripTrailingZeros();
      json.append(",\"retry_after_seconds\":")
          .append(LimitValues.ceilSeconds(verdict.retryAfterNs()));
      json.append(",\"retry_after\":\"").append(seconds.toPlainString()).append("s\"");
    }
    if (verdict.ruleId() != null) {
      json.append(",\"rule_id\":\"");
      JsonStringEncoder.getInstance().quoteAsString(verdict.ruleId(), json);
      json.append('"');
    }
    return json.append(",\"state\":\"").append(verdict.state()).append("\"}\n").toString();
  }
}
