package dev.weir.proxy.rule;

/**
 * A rule that no request can reach.
 *
 * @param by a rule that stands before it.
 * @param example a request that the rule would match, and that the other takes, on one line.
 */
public record ShadowedRule(Rule rule, Rule by, String example) {}
