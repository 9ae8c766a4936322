package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.LimitHeaders;

/**
 * The settings of a domain below {@code weir} in its file.
 *
 * @param isAllOrNothing whether a refused call charges no descriptor.
 * @param headers for the client's response; null if the file does not say.
 */
public record DomainOptions(boolean isAllOrNothing, LimitHeaders headers) {
  public static final DomainOptions NONE = new DomainOptions(false, null);
}
