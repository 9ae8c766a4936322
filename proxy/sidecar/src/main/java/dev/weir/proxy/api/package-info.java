/**
 * The API for operators: resources below {@code /api/v1} of the admin port. Requests are answered
 * by threads of their own: one for those that may wait for the store of records, one for those that
 * do not, and one for what takes long.
 */
package dev.weir.proxy.api;
