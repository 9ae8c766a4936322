/**
 * Mode leased: units that the store granted ahead are taken from memory, and renewed, given back
 * and waited for here. Hot path.
 */
package dev.weir.proxy.admission.lease;
