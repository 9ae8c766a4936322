/** nginx, as several measurements start it. */
package dev.weir.bench.nginx;
