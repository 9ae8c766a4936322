package dev.weir.proxy.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.web.Page;

/** Answers requests of one route, on a thread of the API. */
@FunctionalInterface
public interface ApiHandler {
  /**
   * Answers a request.
   *
   * @throws ApiProblem the answer, if it is a problem.
   * @throws BadRecordException of a body that has faults: 422.
   * @throws StaleRecordException as the store of records throws it: 412.
   * @throws RecordStoreException as the store of records throws it: 503.
   */
  Page answer(ApiRequest request)
      throws ApiProblem, BadRecordException, StaleRecordException, RecordStoreException;
}
