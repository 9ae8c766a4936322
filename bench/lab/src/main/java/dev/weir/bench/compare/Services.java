package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import java.io.IOException;
import java.nio.file.Path;

/** The services behind the contenders, one for each protocol that proxies ask in. */
record Services(Upstream http1, Upstream http2) implements AutoCloseable {
  /** Starts both, on the core of the load. */
  static Services start(Path folder, Cores cores) throws IOException {
    return new Services(Upstream.start(folder, cores), Upstream.inHttp2());
  }

  Upstream of(Wire wire) {
    return wire.servedByHttp2() ? http2 : http1;
  }

  @Override
  public void close() {
    http1.close();
    http2.close();
  }
}
