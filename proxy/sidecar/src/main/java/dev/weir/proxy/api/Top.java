package dev.weir.proxy.api;

import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The keys about which this sidecar is asked most, and those that it refuses most. */
public final class Top {
  private static final String REQUESTS = "requests";
  private static final String REFUSED = "refused";
  private static final int MOST = 100;
  private static final int USUAL = 20;

  private final TopCounts counts;

  /** Lists keys by some counts. */
  public Top(TopCounts counts) {
    this.counts = counts;
  }

  /** Its route. */
  public ApiRoute route() {
    return ApiRoute.of(HttpMethod.GET, "/top", Role.VIEWER, this::get)
        .withoutStore()
        .taking("by", "rule", "most");
  }

  private Page get(ApiRequest request) throws ApiProblem {
    String by = request.query("by", REQUESTS);
    if (!List.of(REQUESTS, REFUSED).contains(by)) {
      throw ApiProblem.ofParameter("by", by, REQUESTS + " or " + REFUSED);
    }
    int most = request.count("most", USUAL, MOST);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("by", by);
    json.putAll(counts.read(by.equals(REFUSED), request.query("rule", null), most, request::shown));
    return Answers.json(200, json);
  }
}
