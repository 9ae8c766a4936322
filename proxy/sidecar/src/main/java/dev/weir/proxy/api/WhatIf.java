package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.control.WhatIfSettings;
import dev.weir.proxy.metrics.WhatIfReport;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import dev.weir.proxy.web.WhatIfPage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The candidate of this sidecar: shows how it compares with the rules in use, and puts another one
 * in its place until a deletion or a restart.
 */
public final class WhatIf {
  private static final String PATH = "/what-if";
  private static final String SAMPLE = "sample";

  private final RecordStore store;
  private final CandidateRules candidate;

  /**
   * @param store null if no records are kept, and so no audit.
   * @param candidate null if none is asked.
   */
  public WhatIf(RecordStore store, CandidateRules candidate) {
    this.store = store;
    this.candidate = candidate;
  }

  /** Its routes. */
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.of(HttpMethod.GET, PATH, Role.VIEWER, this::get).withoutStore().taking("format"),
        ApiRoute.of(HttpMethod.POST, PATH, Role.ADMIN, this::post)
            .withBody(Rules.SET_BYTES)
            .taking(SAMPLE, ApiRequest.REASON),
        ApiRoute.of(HttpMethod.DELETE, PATH, Role.ADMIN, this::delete).taking(ApiRequest.REASON));
  }

  private Page get(ApiRequest request) throws ApiProblem {
    String format = request.query("format", "json");
    // Whoever is on this machine and needs no token sees its traffic anyway.
    boolean isShown = request.caller().equals(Caller.LOCAL);
    WhatIfReport report = candidate().report();
    WhatIfReport shown = isShown ? report : report.shownBy(request::shown);
    return switch (format) {
      case "json" -> Page.json(WhatIfPage.json(shown));
      case "text" -> Page.text(HttpResponseStatus.OK, WhatIfPage.text(shown));
      default -> throw ApiProblem.ofParameter("format", format, "text or json");
    };
  }

  private Page post(ApiRequest request)
      throws ApiProblem, BadRecordException, RecordStoreException {
    int permille = permille(request);
    CandidateRules replaced = candidate();
    byte[] document = Rules.json(request, Rules.SET_BYTES).getBytes(StandardCharsets.UTF_8);
    Reading reading = replaced.compile(document);
    Rules.refuse(reading);
    note(request, "what-if");
    replaced.replace(reading.rules(), permille);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("warnings", reading.warnings().stream().map(RecordedFault::toString).toList());
    return Answers.json(200, json);
  }

  private Page delete(ApiRequest request) throws ApiProblem, RecordStoreException {
    CandidateRules replaced = candidate();
    note(request, "what-if-end");
    if (!replaced.returnToFile()) {
      throw ApiProblem.of(
          409, "The file of the candidate has faults", "a file that weir check takes");
    }
    return Answers.noContent();
  }

  private void note(ApiRequest request, String action) throws ApiProblem, RecordStoreException {
    if (store != null) {
      store.note(action, new RecordName(Kind.PART, "candidate"), request.author());
    }
  }

  private CandidateRules candidate() throws ApiProblem {
    if (candidate == null) {
      throw ApiProblem.of(409, "No candidate is asked", "what-if.file in the settings");
    }
    return candidate;
  }

  private static int permille(ApiRequest request) throws ApiProblem {
    String text = request.query(SAMPLE, null);
    try {
      return text == null ? 0 : WhatIfSettings.parseSample(text);
    } catch (BadValueException bad) {
      throw ApiProblem.ofParameter(SAMPLE, JsonText.shown(bad.value()), bad.expected());
    }
  }
}
