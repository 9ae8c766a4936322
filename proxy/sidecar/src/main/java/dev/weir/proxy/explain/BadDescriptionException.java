package dev.weir.proxy.explain;

/**
 * A request that cannot be explained as it is described. The message names the part and what was
 * expected; it has nothing of the request in it, which may hold secrets.
 */
public final class BadDescriptionException extends Exception {
  private static final long serialVersionUID = 1;

  public BadDescriptionException(String part, String problem) {
    super(part + ": " + problem);
  }
}
