package dev.weir.proxy.control;

import java.nio.file.Path;

/**
 * Settings of Envoy's rate-limit service.
 *
 * @param folder null if the service is not wanted.
 * @param mergesDomains whether several files may have one domain.
 * @param answers what all of its answers have.
 */
public record RateLimitSettings(Path folder, boolean mergesDomains, RateLimitAnswers answers) {
  /** Whether Envoy's rate-limit service is wanted. */
  public boolean isConfigured() {
    return folder != null;
  }
}
