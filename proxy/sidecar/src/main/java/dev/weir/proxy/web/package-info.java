/**
 * The admin and the monitoring port: health, readiness, metrics and latency. They have an event
 * loop of their own, so that a slow scraper never delays a request. Without tokens the admin port
 * listens only on the loopback interface or on a Unix socket.
 */
package dev.weir.proxy.web;
