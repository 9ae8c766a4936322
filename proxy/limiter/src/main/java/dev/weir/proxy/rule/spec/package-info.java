/**
 * Rules as somebody wrote them: limits, rates, keys, patterns and modes, read from text and
 * checked. No request is decided here.
 */
package dev.weir.proxy.rule.spec;
