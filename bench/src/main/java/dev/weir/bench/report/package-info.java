/** What the pages of results have in common. */
package dev.weir.bench.report;
