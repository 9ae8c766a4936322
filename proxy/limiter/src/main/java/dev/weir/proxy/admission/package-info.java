/**
 * Decides whether a request may pass: finds its rule, its identities and budgets, and the verdict.
 * Knows no protocol: it takes a {@link dev.weir.proxy.request.Question}, and passes a late verdict
 * to a {@link dev.weir.proxy.request.VerdictListener}. Hot path.
 */
package dev.weir.proxy.admission;
