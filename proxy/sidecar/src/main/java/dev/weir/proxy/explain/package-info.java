/**
 * {@code weir explain} and the page {@code /explain}: a request that somebody describes, and the
 * explanation of its decision as text and JSON. For people; nothing here is on the way of a
 * request.
 */
package dev.weir.proxy.explain;
