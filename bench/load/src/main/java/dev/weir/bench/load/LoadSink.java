package dev.weir.bench.load;

/** Who is told what becomes of requests, on the event loop of their connection. */
public interface LoadSink {
  /** A connection is ready for requests, its protocol's preface and TLS included. */
  void opened(LoadConnection connection);

  /**
   * A TLS handshake went through, before its connection is ready.
   *
   * @param resumed whether a session of before goes on.
   */
  void shakenHands(boolean resumed);

  /** A connection that was asked for did not come about; it has told nothing else. */
  void refused(Throwable cause);

  /**
   * A whole answer has come.
   *
   * @param httpStatus 200 to 599.
   * @param grpcStatus of a gRPC call; -1 for what is none.
   */
  void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs);

  /** A request ended without a whole answer. */
  void failed(Failure failure, long dueNs, long startedNs);

  /** Requests of a connection ended in this turn of the loop, so it may have room again. */
  void room(LoadConnection connection);

  /** One that was opened is gone, after the requests in flight were told to have failed. */
  void closed(LoadConnection connection);

  /** Why a request has no whole answer. */
  public enum Failure {
    TIMEOUT("timed out"),
    /** No connection had room for it within the time-out. */
    NOT_STARTED("not started in time"),
    CLOSED("connection closed"),
    MALFORMED("malformed answer"),
    RESET("stream reset");

    private final String text;

    Failure(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
