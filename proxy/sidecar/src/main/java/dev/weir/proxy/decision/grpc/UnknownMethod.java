package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.request.DecisionCall;

/** The method of calls with an unknown path, which are refused before they get here. */
final class UnknownMethod implements GrpcMethod {
  static final UnknownMethod INSTANCE = new UnknownMethod();

  private UnknownMethod() {}

  @Override
  public String path() {
    return "";
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.OTHER;
  }

  @Override
  public void call(GrpcCall call) {
    throw new IllegalStateException("it was to be refused");
  }
}
