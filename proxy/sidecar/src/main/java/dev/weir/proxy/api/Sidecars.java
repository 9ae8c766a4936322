package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordSetFault;
import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RunningSidecar;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sidecars of the service, and which version of the rules each follows. */
public final class Sidecars {
  private final RecordsInUse records;

  /**
   * @param records null if none are kept.
   */
  public Sidecars(RecordsInUse records) {
    this.records = records;
  }

  /** Its route. */
  public ApiRoute route() {
    return ApiRoute.of(HttpMethod.GET, "/sidecars", Role.VIEWER, this::get);
  }

  private Page get(ApiRequest request) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sidecars", List.of());
    json.put("here", here());
    Map<String, String> fields = Map.of();
    if (records != null) {
      try {
        json.put("sidecars", records.store().sidecars().stream().map(Sidecars::row).toList());
      } catch (RecordStoreException away) {
        json.put("unknown", away.getMessage());
        fields = PresentRules.stale(records.store());
      }
    }
    return Answers.json(200, json).with(fields);
  }

  private static Map<String, Object> row(RunningSidecar sidecar) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("id", sidecar.id());
    row.put("version", sidecar.inUse().toString());
    row.put("refused", sidecar.refused() == null ? null : sidecar.refused().toString());
    return row;
  }

  /** The sidecar that answers, and why it does not follow the newest set, if so. */
  private Map<String, Object> here() {
    RecordVersion version =
        records == null || !records.rules().isPresent()
            ? RecordVersion.NONE
            : records.rules().head();
    RecordSetFault fault = records == null ? null : records.fault();
    Map<String, Object> here = new LinkedHashMap<>();
    here.put("version", version.toString());
    here.put("refused", fault == null ? null : fault.version().toString());
    here.put(
        "faults",
        fault == null ? List.of() : fault.faults().stream().map(RecordedFault::toString).toList());
    return here;
  }
}
