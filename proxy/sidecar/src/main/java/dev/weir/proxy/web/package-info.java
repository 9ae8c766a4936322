/**
 * The admin port: health, readiness, metrics and latency for whoever is on this machine. It has an
 * event loop of its own, so that a slow scraper never delays a request, and no authentication, so
 * that it refuses to listen anywhere but on the loopback interface or on a Unix-domain socket.
 */
package dev.weir.proxy.web;
