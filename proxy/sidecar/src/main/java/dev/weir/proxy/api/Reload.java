package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Reads the files of a sidecar again, as SIGHUP does, and tells which are in use. */
public final class Reload {
  private final RecordStore store;
  private final Supplier<ReloadedFiles> files;

  /**
   * @param store null if no records are kept, and so no audit.
   * @param files reads them again.
   */
  public Reload(RecordStore store, Supplier<ReloadedFiles> files) {
    this.store = store;
    this.files = files;
  }

  /** Its route. */
  public ApiRoute route() {
    return ApiRoute.of(HttpMethod.POST, "/reload", Role.ADMIN, this::post)
        .taking(ApiRequest.REASON);
  }

  private Page post(ApiRequest request) throws ApiProblem, RecordStoreException {
    if (store != null) {
      store.note("reload", new RecordName(Kind.PART, "file"), request.author());
    }
    ReloadedFiles reloaded = files.get();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("files", reloaded.kinds().entrySet().stream().map(Reload::kind).toList());
    json.put("waiting-for-restart", reloaded.waiting());
    if (reloaded.kinds().containsValue(false)) {
      ApiProblem faulty =
          new ApiProblem(
              422,
              "Some files cannot be used, and what was in use before stays; the log says why.",
              reloaded.faults().stream().map(Reload::fault).toList());
      json.forEach(faulty::member);
      throw faulty;
    }
    return Answers.json(200, json);
  }

  private static Map<String, Object> kind(Map.Entry<String, Boolean> kind) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("files", kind.getKey());
    json.put("in-use", kind.getValue());
    return json;
  }

  private static RecordFault fault(RecordedFault fault) {
    return new RecordFault(fault.documentPointer(), fault.line(), fault.found(), fault.expected());
  }
}
