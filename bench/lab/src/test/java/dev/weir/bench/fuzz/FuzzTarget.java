package dev.weir.bench.fuzz;

import java.util.function.Consumer;

/** A parser that anybody on the network can give bytes to, and what must hold whatever they are. */
enum FuzzTarget {
  HTTP1_REQUEST("http1Request", new Http1RequestTarget()),
  HTTP1_RESPONSE("http1Response", new Http1ResponseTarget()),
  CHUNKS("chunks", new ChunkTarget()),
  FRAMES("frames", new FrameTarget()),
  FIELDS("fields", new FieldTarget()),
  PROXY_HEADER("proxyHeader", new ProxyHeaderTarget()),
  PATH("path", new PathTarget()),
  ADDRESS("address", new AddressTarget()),
  TIME("time", new TimeTarget()),
  MESSAGE("message", new MessageTarget());

  /** What is longer tells nothing new, and takes its time where every cut is tried. */
  private static final int MAX_BYTES = 4096;

  private final String folder;
  private final Consumer<byte[]> target;

  FuzzTarget(String folder, Consumer<byte[]> target) {
    this.folder = folder;
    this.target = target;
  }

  /** Where its inputs are: the name of its method in {@link CorpusTest}. */
  String folder() {
    return folder;
  }

  /** Gives it an input; throws if something does not hold. */
  void run(byte[] input) {
    if (input.length <= MAX_BYTES) {
      target.accept(input);
    }
  }
}
