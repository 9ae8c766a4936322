package dev.weir.proxy.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.web.Page;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Answers requests whose answer may be known after the thread of the API went on. An answer whose
 * client has left is cancelled.
 */
@FunctionalInterface
public interface LateApiHandler {
  /** Answers a request; throws as {@link ApiHandler#answer} does. */
  CompletionStage<Page> answer(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException;

  /** One that knows its answer at once. */
  static LateApiHandler of(ApiHandler handler) {
    return request -> CompletableFuture.completedFuture(handler.answer(request));
  }
}
