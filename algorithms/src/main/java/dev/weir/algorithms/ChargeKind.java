package dev.weir.algorithms;

/** How units are charged that may not fit. */
enum ChargeKind {
  /** All of them or none. */
  IF_IT_FITS,

  /** They have been used already: as many of them as the limit can count. */
  USED_ALREADY,

  /** A debt that comes from another key: as many of them as fit. */
  CARRIED_OVER
}
