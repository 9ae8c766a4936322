package dev.weir.proxy.exchange;

/**
 * Flow control of one exchange: the bytes that were passed to the other side and that it has not
 * consumed yet. While they are above 0, the exchange waits for that side. Counts both directions.
 */
final class HeldBytes {
  private int ofRequest;
  private int ofResponse;

  /** A new request. */
  void start() {
    ofRequest = 0;
    ofResponse = 0;
  }

  /** Adds bytes of the request that are held, or removes them, if below 0. */
  void addRequest(int bytes) {
    ofRequest += bytes;
    assert ofRequest >= 0 : ofRequest + " bytes of the request are held";
  }

  /** Adds bytes of the response that are held, or removes them, if below 0. */
  void addResponse(int bytes) {
    ofResponse += bytes;
    assert ofResponse >= 0 : ofResponse + " bytes of the response are held";
  }

  /** Bytes of the request that are gathered, or that the service has not consumed. */
  int ofRequest() {
    return ofRequest;
  }

  /** Bytes of the response that the client has not consumed. */
  int ofResponse() {
    return ofResponse;
  }
}
