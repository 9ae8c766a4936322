package dev.weir.proxy.request;

/** The protocol of a request, as figures tell requests apart. */
public enum Protocol {
  /** HTTP/1.0 or HTTP/1.1. */
  HTTP1,

  /** HTTP/2, but for calls of gRPC. */
  HTTP2,

  /** A call of gRPC or gRPC-Web, whatever carries it. */
  GRPC
}
