/**
 * Decides whether a request may pass: which rule, whose budget, what verdict. Knows no protocol: a
 * request comes as a {@link dev.weir.proxy.request.RequestView} and its verdict goes to an {@link
 * dev.weir.proxy.request.Exchange}. Hot path.
 */
package dev.weir.proxy.admission;
