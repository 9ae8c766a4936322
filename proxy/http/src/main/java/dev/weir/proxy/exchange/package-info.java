/**
 * HTTP as every version of it means it (RFC 9110): one request in flight between a client's side
 * and a service's side, whatever protocols they speak. {@link
 * dev.weir.proxy.exchange.ProxiedRequest} stands between the two; {@link
 * dev.weir.proxy.exchange.ClientSide} and {@link dev.weir.proxy.exchange.ServiceSide} are what a
 * protocol implements.
 *
 * <p>Head, data with its end, trailers, and a reset with a reason go both ways. So does credit: who
 * takes bytes says how many of them it still holds, and who sends them waits with the rest. A
 * message that stays within one protocol is copied as it came ({@link
 * dev.weir.proxy.exchange.BodyForm#AS_FRAMED}).
 *
 * <p>What becomes of fields on their way is one policy for all versions, the table of {@link
 * dev.weir.proxy.exchange.KnownField}; each version asks it, and writes the answer in its own way.
 *
 * <p>This is hot path: no allocation, no lock; nothing here reads or writes a socket.
 */
package dev.weir.proxy.exchange;
