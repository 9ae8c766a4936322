package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.request.DecisionCall;

/** Stands for the method of calls that name none: they are refused before it is asked. */
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
