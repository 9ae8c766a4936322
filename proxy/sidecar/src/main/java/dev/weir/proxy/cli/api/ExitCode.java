package dev.weir.proxy.cli.api;

import java.util.Set;

/** The exit codes of commands that speak to the API: scripts tell by them what to do next. */
final class ExitCode {
  static final int OK = 0;

  /** The input has a fault, or names what is not there; of {@code diff}: there is a difference. */
  static final int FAULT = 1;

  /** The command line is wrong. */
  static final int USAGE = 2;

  /** Who asks may not: no token, a wrong one, or one of too low a role. */
  static final int REFUSED = 3;

  /** The thing to be changed is not as it was when it was read: read it again. */
  static final int CONFLICT = 4;

  /** Nobody answers, or not now: try again. */
  static final int UNAVAILABLE = 5;

  /** It was done, and not all sidecars follow: some lag, or cannot take it. */
  static final int NOT_EVERYWHERE = 6;

  static final String[] HELP = {
    "",
    "Exit codes: 0 done, 1 fault of the input, 2 wrong command line, 3 refused, 4 changed"
        + " meanwhile, 5 not available, 6 not in use everywhere."
  };

  private static final Set<Integer> REFUSING = Set.of(401, 403, 421);
  private static final Set<Integer> STALE = Set.of(409, 412, 428);
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private ExitCode() {}

  /** The exit code of an answer that is no success. */
  static int of(int status) {
    if (REFUSING.contains(status)) {
      return REFUSED;
    }
    if (STALE.contains(status)) {
      return CONFLICT;
    }
    return status == TOO_MANY || status >= SERVER_ERROR ? UNAVAILABLE : FAULT;
  }
}
