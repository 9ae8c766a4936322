/**
 * Fields of HTTP/2 as they are sent (HPACK, RFC 7541): static and dynamic table, Huffman code,
 * blocks of fields decoded and encoded. Knows neither frames nor connections. Hot path: no
 * allocation per field, no lock.
 */
package dev.weir.proxy.http2.hpack;
