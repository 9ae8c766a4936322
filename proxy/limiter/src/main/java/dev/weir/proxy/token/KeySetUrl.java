package dev.weir.proxy.token;

import dev.weir.proxy.token.KeySet.VerificationKey;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import dev.weir.proxy.watch.WatchThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches a key set by HTTP, on a thread of its own, again and again: every {@link #REFRESH_NS};
 * and {@link #LEAST_NS} after the last time if that failed, or if a token names a key that is not
 * in the set. While the set cannot be fetched, or has faults, the last good keys stay.
 */
final class KeySetUrl implements KeySource {
  /** Between two times that a good set is fetched. */
  static final long REFRESH_NS = TimeUnit.MINUTES.toNanos(5);

  /** The least between two times. */
  static final long LEAST_NS = TimeUnit.SECONDS.toNanos(10);

  /** How long a start waits for the first set. */
  private static final long START_NS = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** For the connection, and for each read. */
  private static final int TIMEOUT_MS = 2_000;

  /** For all of a body. */
  private static final long BODY_NS = TimeUnit.SECONDS.toNanos(10);

  private static final int READ_BYTES = 16 << 10;
  private static final Logger LOG = LoggerFactory.getLogger(KeySetUrl.class);

  private final URI url;

  /** The URL as the log calls it: a query may hold what is secret. */
  private final String name;

  private final TokenKeys keys;
  private final LongSupplier clockNs;
  private final Reloads reloads = new Reloads();
  private final CountDownLatch tried = new CountDownLatch(1);
  private final WatchThread thread =
      new WatchThread("weir-jwt-keys", LOOK_NS, this::look, "jwt: keys not fetched");

  /** When the set was fetched last, well or not. */
  private long fetchedNs;

  /** Why it could not be fetched the last time; null if it could. */
  private String fault = "not fetched yet";

  private volatile boolean isReloadWanted = true;

  /** A source of which nothing is fetched yet. */
  KeySetUrl(URI url, TokenKeys keys, LongSupplier clockNs) {
    this.url = url;
    name = url.toString().replaceFirst("\\?.*", "");
    this.keys = keys;
    this.clockNs = clockNs;
  }

  /** Starts the thread, and waits a while for the first set; goes on without one. */
  @Override
  public void start() {
    thread.start();
    try {
      if (!tried.await(START_NS, TimeUnit.NANOSECONDS)) {
        LOG.warn("jwt: no keys from {} yet; tokens get a 503 until they are there", name);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Fetches the set if it is time to. */
  void look() {
    long nowNs = clockNs.getAsLong();
    boolean isUrgent = fault != null || keys.isKeyWanted();
    if (isReloadWanted || nowNs - fetchedNs >= (isUrgent ? LEAST_NS : REFRESH_NS)) {
      isReloadWanted = false;
      keys.takeKeyWanted();
      fetchedNs = nowNs;
      try {
        take();
      } finally {
        tried.countDown();
      }
    }
  }

  private void take() {
    try {
      List<VerificationKey> read = KeySetReader.read(fetch());
      if (keys.replace(read)) {
        String count = read.size() == 1 ? "1 key" : read.size() + " keys";
        LOG.info("jwt: {} from {}{}", count, name, reloads.taken());
      } else if (fault != null) {
        LOG.info("jwt: the same keys from {}{}", name, reloads.taken());
      }
      fault = null;
    } catch (IOException | RuntimeException failed) {
      reloads.rejected();
      String text = text(failed);
      if (!text.equals(fault)) {
        LOG.error("jwt: keys not fetched, the last good ones stay: {}: {}", name, text);
      }
      fault = text;
    }
  }

  private static String text(Exception failed) {
    return failed instanceof SocketTimeoutException
        ? "no answer in time"
        : failed.getMessage() == null ? failed.toString() : failed.getMessage();
  }

  private byte[] fetch() throws IOException {
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    try {
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      connection.setConnectTimeout(TIMEOUT_MS);
      connection.setReadTimeout(TIMEOUT_MS);
      connection.setRequestProperty("Accept", "application/json");
      int status = connection.getResponseCode();
      if (status != HttpURLConnection.HTTP_OK) {
        throw new IOException("status " + status + " (expected: 200)");
      }
      try (InputStream body = connection.getInputStream()) {
        return read(body);
      }
    } finally {
      connection.disconnect();
    }
  }

  private byte[] read(InputStream body) throws IOException {
    long endNs = clockNs.getAsLong() + BODY_NS;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[READ_BYTES];
    for (int count = body.read(some); count >= 0; count = body.read(some)) {
      all.write(some, 0, count);
      if (all.size() > SmallFile.MAX_BYTES) {
        throw new IOException("larger than 1MiB (expected: at most 1MiB)");
      }
      if (clockNs.getAsLong() - endNs > 0) {
        throw new SocketTimeoutException();
      }
    }
    return all.toByteArray();
  }

  @Override
  public void reload() {
    isReloadWanted = true;
  }

  @Override
  public Reloads reloads() {
    return reloads;
  }

  @Override
  public void close() {
    thread.close();
  }
}
