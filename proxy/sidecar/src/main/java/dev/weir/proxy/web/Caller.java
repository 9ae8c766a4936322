package dev.weir.proxy.web;

/**
 * Who sends a request to the admin port.
 *
 * @param name of the token; {@code local} for whoever is on this machine and has none.
 */
public record Caller(String name, Role role) {
  /** Whoever reaches this machine's own port: sees what viewers see, and changes nothing. */
  public static final Caller LOCAL = new Caller("local", Role.VIEWER);
}
