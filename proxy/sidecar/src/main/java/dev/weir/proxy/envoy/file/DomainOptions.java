package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.LimitHeaders;

/**
 * What a domain's answers have where its file says so below {@code weir}.
 *
 * @param isAllOrNothing whether a call that is refused takes nothing of any descriptor.
 * @param headers which fields are to be added to the client's response; null if the file says none.
 */
public record DomainOptions(boolean isAllOrNothing, LimitHeaders headers) {
  public static final DomainOptions NONE = new DomainOptions(false, null);
}
