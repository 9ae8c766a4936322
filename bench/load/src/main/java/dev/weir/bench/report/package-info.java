/** Results of measurements, and the pages and files that show them. */
package dev.weir.bench.report;
