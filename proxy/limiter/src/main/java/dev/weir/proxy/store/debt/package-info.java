/**
 * Debts: requests that passed while the store gave no decision, and that are charged when it
 * decides again. Hot path while a server is away.
 */
package dev.weir.proxy.store.debt;
