/** Commands that are clients of the REST API, {@code /api/v1}, of a running sidecar. */
package dev.weir.proxy.cli.api;
