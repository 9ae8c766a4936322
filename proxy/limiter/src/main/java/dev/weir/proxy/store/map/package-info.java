/**
 * The servers of the store: which server has which partition, the names of budgets, and connections
 * for anything but batches. Knows no question.
 */
package dev.weir.proxy.store.map;
