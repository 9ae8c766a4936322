/**
 * Units that this process holds in the store from verdict to end: asked for, settled, renewed, and
 * said again after an outage. A hot path.
 */
package dev.weir.proxy.admission.hold;
