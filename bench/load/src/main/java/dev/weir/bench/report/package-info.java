/** What measurements have in common: what a run found, and the pages and files that say so. */
package dev.weir.bench.report;
