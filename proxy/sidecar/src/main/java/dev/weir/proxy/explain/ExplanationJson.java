package dev.weir.proxy.explain;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.rule.ConsideredRule;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Thousandths;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;

/** An explanation as JSON. Fields are only added; what is not known is not there. */
public final class ExplanationJson {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final double NS_PER_S = 1e9;

  private final ExplainedRequest explained;
  private final Explanation explanation;
  private final JsonGenerator out;

  private ExplanationJson(ExplainedRequest explained, JsonGenerator out) {
    this.explained = explained;
    explanation = explained.explanation();
    this.out = out;
  }

  /** One object, with a line break at its end. */
  public static String of(ExplainedRequest explained) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      new ExplanationJson(explained, out.useDefaultPrettyPrinter()).write();
    } catch (IOException impossible) {
      throw new AssertionError("a text takes all that is written", impossible);
    }
    return text.append('\n').toString();
  }

  private void write() throws IOException {
    out.writeStartObject();
    DescribedRequest request = explained.request();
    out.writeObjectFieldStart("request");
    out.writeStringField("method", request.method());
    out.writeStringField("path", request.path());
    out.writeStringField("host", request.host());
    out.writeStringField("from", request.from().toString());
    out.writeEndObject();
    if (explanation.listed() != AddressLists.Listed.NEITHER) {
      boolean isAllowed = explanation.listed() == AddressLists.Listed.ALLOWED;
      out.writeStringField("list", isAllowed ? "allow" : "block");
    }
    writeRules();
    if (explanation.refusal() != null) {
      out.writeStringField("refusal", explanation.refusal().label());
      if (explanation.bannedForNs() > 0) {
        out.writeNumberField("banned_for_seconds", explanation.bannedForNs() / NS_PER_S);
      }
    }
    writeKeys();
    writeLimits();
    if (explained.status() != 0) {
      out.writeNumberField("status", explained.status());
    }
    out.writeStringField("outcome", explained.outcome());
    out.writeEndObject();
  }

  private void writeRules() throws IOException {
    out.writeArrayFieldStart("considered");
    List<ConsideredRule> shown = explained.shown();
    for (ConsideredRule rule : shown) {
      out.writeStartObject();
      out.writeStringField("rule", rule.rule().id());
      out.writeStringField("result", rule.result().name().toLowerCase(Locale.ROOT));
      if (rule.failed() != null) {
        out.writeStringField("failed", rule.failed());
      }
      if (rule.result() != ConsideredRule.Result.CHOSEN) {
        out.writeStringField("because", ExplainedRequest.because(rule));
      }
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeNumberField("not_shown", explained.hiddenCount(shown));
    if (explanation.rule() != null) {
      out.writeStringField("rule", explanation.rule().id());
      out.writeBooleanField("enforced", explanation.isEnforced());
    }
  }

  private void writeKeys() throws IOException {
    out.writeArrayFieldStart("identities");
    for (Explanation.Key key : explanation.keys()) {
      out.writeStartObject();
      out.writeStringField("key", key.key());
      if (key.fault() == null) {
        out.writeStringField("identity", key.identity());
        out.writeStringField("from", key.source());
      } else {
        out.writeStringField("fault", key.fault().label());
      }
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private void writeLimits() throws IOException {
    out.writeArrayFieldStart("limits");
    for (Explanation.Limit limit : explanation.limits()) {
      BudgetSpec spec = limit.budget().spec();
      out.writeStartObject();
      out.writeStringField("name", limit.budget().policy().name());
      out.writeStringField("limit", spec.limit().rate().toString());
      if (!spec.limit().isConcurrency()) {
        out.writeStringField("algorithm", spec.limit().algorithm().toString());
      }
      out.writeStringField("mode", spec.mode().toString());
      if (Plan.saidBy(limit.budget()) != null) {
        out.writeStringField("said_by", Plan.saidBy(limit.budget()));
      }
      out.writeStringField("key", limit.identity().key());
      out.writeStringField("identity", limit.identity().identity());
      out.writeFieldName("cost");
      out.writeNumber(Thousandths.text(limit.units(), spec.limit().unit()));
      out.writeBooleanField("held", spec.holds());
      out.writeBooleanField("everywhere", limit.isOfAllRequests());
      out.writeBooleanField("enforced", limit.isEnforced());
      writeLeft(explained.left(limit), spec);
      out.writeEndObject();
    }
    out.writeEndArray();
    if (explanation.costFault() != null) {
      out.writeStringField("cost_fault", explanation.costFault().name().toLowerCase(Locale.ROOT));
    }
  }

  private void writeLeft(BudgetsLeft.Left left, BudgetSpec spec) throws IOException {
    if (left == null) {
      return;
    }
    out.writeNumberField("capacity", left.capacity());
    out.writeNumberField("remaining", left.remaining());
    if (spec.holds()) {
      out.writeNumberField("held_units", left.held());
    }
    if (!spec.limit().isConcurrency()) {
      out.writeNumberField("reset_after_seconds", left.resetAfterNs() / NS_PER_S);
    }
    out.writeBooleanField("admits", left.admits());
    if (!left.admits()) {
      out.writeNumberField("retry_after_seconds", left.retryAfterNs() / NS_PER_S);
    }
  }
}
