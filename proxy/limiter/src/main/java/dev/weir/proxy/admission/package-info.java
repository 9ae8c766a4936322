/**
 * Decides whether a request may pass: which rule, whose budget, what verdict. Knows no protocol: it
 * is asked a {@link dev.weir.proxy.request.Question}, and what it cannot answer at once it tells a
 * {@link dev.weir.proxy.request.VerdictListener} later. Hot path.
 */
package dev.weir.proxy.admission;
