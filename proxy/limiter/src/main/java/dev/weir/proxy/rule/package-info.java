/**
 * Which rule a request meets, and whose budget it charges. {@link dev.weir.proxy.rule.RuleSet}
 * finds the rule, {@link dev.weir.proxy.rule.IdentityReader} the identity. Knows requests and
 * limits, no protocol, no file format.
 *
 * <p>{@code RuleSet.match}, {@code IdentityReader.read}, {@code ClientIpReader.read} and all that
 * they call are the hot path: no allocation, iterator, String, lock or log.
 */
package dev.weir.proxy.rule;
