/**
 * Mode leased: units that the store has leased to this sidecar are used, renewed, returned and
 * waited for here. Hot path.
 */
package dev.weir.proxy.admission.lease;
