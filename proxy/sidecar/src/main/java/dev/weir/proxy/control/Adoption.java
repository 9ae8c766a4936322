package dev.weir.proxy.control;

/**
 * How many sidecars of a service follow a version of the rules, or a later one.
 *
 * @param live how many there are.
 * @param refusing those that cannot take it, and say so.
 */
public record Adoption(int live, int using, int refusing) {}
