/**
 * The cost of rules: finding the one of a request among few and many, with conditions and without,
 * looking up a token, and reading a file of them.
 */
package dev.weir.bench.rule;
