/**
 * The API for operators: resources below {@code /api/v1} of the admin port. Requests are answered
 * by the thread {@code weir-api}, which may wait for the store of records.
 */
package dev.weir.proxy.api;
