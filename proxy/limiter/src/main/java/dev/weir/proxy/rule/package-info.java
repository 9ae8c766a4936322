/**
 * Rules, compiled: {@link dev.weir.proxy.rule.RuleSet} finds the rule for a request, {@link
 * dev.weir.proxy.rule.identity.IdentityReader} the identity whose budgets it charges. Knows
 * requests and limits, no protocol, no file format.
 *
 * <p>{@code RuleSet.match}, {@code IdentityReader.read}, {@code ClientIpReader.read} and all that
 * they call are the hot path: no allocation, iterator, String, lock or log.
 */
package dev.weir.proxy.rule;
