package dev.weir.proxy.wiring;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.token.KeySource;
import dev.weir.proxy.token.TokenKeys;
import dev.weir.proxy.token.TokenReader;
import dev.weir.proxy.token.TokenSettings;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.util.List;

/** The tokens that clients of one sidecar have: the keys that verify them, and who reads them. */
public final class SidecarTokens implements AutoCloseable {
  private final TokenSettings settings;
  private final TokenKeys keys = new TokenKeys();
  private final KeySource source;

  /**
   * Reads the file of keys, if there is one.
   *
   * @throws IOException if it cannot be used; its message names the file and the reason.
   */
  SidecarTokens(TokenSettings settings) throws IOException {
    this.settings = settings;
    source = KeySource.of(settings, keys);
  }

  /** The faults that a start would find in the file of keys; none if it can be used now. */
  public static List<String> faults(TokenSettings settings) {
    if (!settings.isConfigured()) {
      return List.of();
    }
    try {
      new SidecarTokens(settings).close();
      return List.of();
    } catch (IOException fault) {
      return List.of(fault.getMessage());
    }
  }

  /**
   * Makes the reader of an event loop.
   *
   * @param clients of the same event loop, and so is {@code clock}.
   */
  ClaimReader join(LoopClock clock, KeyHasher hasher, ClientKey clients) {
    return new TokenReader(
        settings,
        keys,
        hasher,
        clients,
        () -> clock.nowNs() - LoopClock.unixEpochNs(),
        LoopClock::timeNs);
  }

  /** Follows the source of keys from now on, and exposes whether its keys are in use. */
  void start(Metrics metrics) {
    metrics.gauge("weir_jwt_keys", "Keys in use that verify tokens.", keys::count);
    metrics.counter(
        "weir_jwt_verifications",
        "Tokens that were verified, good or bad; all others were remembered.",
        keys::verifiedCount);
    new SidecarFigures(metrics).expose("weir_jwt_keys", "keys of tokens", source.reloads());
    source.start();
  }

  Reloads reloads() {
    return source.reloads();
  }

  /** Reads the keys again, changed or not. Any thread. */
  void reload() {
    source.reload();
  }

  @Override
  public void close() {
    source.close();
  }
}
