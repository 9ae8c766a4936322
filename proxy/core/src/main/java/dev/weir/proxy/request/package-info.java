/**
 * The parts of a request that every package shares: the view of it ({@link
 * dev.weir.proxy.request.RequestView}), the verdict on it ({@link dev.weir.proxy.request.Verdict})
 * and the reasons for refusing it ({@link dev.weir.proxy.request.RefusalReason}). Knows no protocol
 * and no other package.
 */
package dev.weir.proxy.request;
