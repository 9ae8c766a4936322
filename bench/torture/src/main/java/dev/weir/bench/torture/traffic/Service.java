package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The service behind the sidecars, on 127.0.0.1: answers each request as the request itself says,
 * and notes which came.
 */
public interface Service extends AutoCloseable {
  /** The answer to each request for a large body: one array, as thousands may wait to be read. */
  byte[] LARGE = new byte[4 << 20];

  /** How long a slow answer takes. */
  int SLOW_MS = 300;

  /** How long a silent service keeps a request before it resets it. */
  int SILENT_MS = 15_000;

  /** The address, as a sidecar's settings have it. */
  String url();

  /** Listens again on the port that it had. */
  void listen() throws IOException;

  /** Ends all connections, and listens no more. */
  void stop() throws IOException;

  /** Is away for so long. */
  default void restart(long awayMs) throws IOException, InterruptedException {
    stop();
    TimeUnit.MILLISECONDS.sleep(awayMs);
    listen();
  }

  /** Starts one that speaks HTTP/1.1, or HTTP/2 in the clear. */
  static Service start(boolean http2, Ledger ledger) throws IOException {
    return http2 ? new Http2Service(ledger) : new Http1Service(ledger);
  }

  @Override
  void close();
}
