package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;

/** Finds the address of the client that sent a request. One per event loop. */
public interface ClientAddress {
  /** Reads the address; {@link #high} and {@link #low} hold it until the next call. */
  void read(RequestView request);

  /** The address's upper 64 bits, IPv4 in its mapped form. */
  long high();

  long low();
}
