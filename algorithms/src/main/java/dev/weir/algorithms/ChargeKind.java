package dev.weir.algorithms;

/** Says what is done with units that do not fit. */
enum ChargeKind {
  /** All units or none. */
  IF_IT_FITS,

  /** Units that have been used already: as many as the limit can count. */
  USED_ALREADY,

  /** A debt that comes from another key: as many units as fit. */
  CARRIED_OVER
}
