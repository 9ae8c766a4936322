package dev.weir.algorithms;

/**
 * What a {@link UserTable} knows of one user, in 64 bits.
 *
 * <pre>
 * bit  63 to 61  | 60   | 59  | 58    | 57, 56 | 55 to 48   | 47 to 24    | 23 to 0
 *      0         | live | met | known | source | generation | plan before | plan
 * </pre>
 *
 * <p>Plans are numbers of the caller's; 0 stands for none. The generation counts changes of plan.
 * Its lowest bit is also in the state words of paced limits, and tells by which of the two plans
 * they count ({@link PlannedLimit}).
 */
public final class UserWord {
  /** The largest number of a plan. */
  public static final int MAX_PLAN = (1 << 24) - 1;

  /** Who said which plan a user has: nobody. */
  public static final int NOBODY = 0;

  /** Who said which plan a user has: the user's record. */
  public static final int RECORD = 1;

  /** Who said which plan a user has: a verified token. */
  public static final int TOKEN = 2;

  /** Who said which plan a user has: a header of a trusted peer. */
  public static final int HEADER = 3;

  /** The word of a slot that was never used; ends every probe. */
  static final long EMPTY = 0;

  /** The word of a slot whose user has another one. */
  static final long FREE = 1L << 61;

  /** The word of a slot that is one thread's own for a moment, with the number of the claim. */
  static final long CLAIMED = 1L << 63;

  static final long MET = 1L << 59;

  private static final long LIVE = 1L << 60;
  private static final int BEFORE_SHIFT = 24;
  private static final int GENERATION_SHIFT = 48;
  private static final int GENERATION_MASK = 0xff;
  private static final int SOURCE_SHIFT = 56;
  private static final long KNOWN = 1L << 58;

  /** Bits of the claim id in a word without a plan: those of the plan before and the generation. */
  private static final long ID_MASK = (1L << (SOURCE_SHIFT - BEFORE_SHIFT)) - 1;

  private UserWord() {}

  /** The user's plan; 0 if none was told. */
  public static int plan(long word) {
    return (int) word & MAX_PLAN;
  }

  /** The plan by which state words of the other parity count; of no meaning without a plan. */
  public static int planBefore(long word) {
    return (int) (word >>> BEFORE_SHIFT) & MAX_PLAN;
  }

  /** How often the plan has changed, modulo 256, from a start of no meaning. */
  public static int generation(long word) {
    return (int) (word >>> GENERATION_SHIFT) & GENERATION_MASK;
  }

  /** Who said which plan the user has: one of the constants. */
  public static int source(long word) {
    return (int) (word >>> SOURCE_SHIFT) & 3;
  }

  /** Whether nobody has to be asked which plan the user has. */
  public static boolean isKnown(long word) {
    return (word & KNOWN) != 0;
  }

  static boolean isLive(long word) {
    return (word & LIVE) != 0 && word > 0;
  }

  static boolean isMet(long word) {
    return (word & MET) != 0;
  }

  /**
   * Of a user of whom nothing is known.
   *
   * @param claimId makes words of different users differ, as long as they have no plan.
   */
  static long unknown(long claimId) {
    return LIVE | MET | (claimId & ID_MASK) << BEFORE_SHIFT;
  }

  static long forgotten(long word) {
    return word & ~KNOWN;
  }

  /** The word of a user who has been given a plan. */
  static long next(long word, int plan, int source, boolean isKnown) {
    final int old = plan(word);
    final boolean isChange = old != 0 && old != plan;
    final long before = old == 0 ? plan : isChange ? old : planBefore(word);
    final long generation = (generation(word) + (isChange ? 1 : 0)) & GENERATION_MASK;
    return word & (LIVE | MET)
        | (isKnown ? KNOWN : 0)
        | (long) source << SOURCE_SHIFT
        | generation << GENERATION_SHIFT
        | before << BEFORE_SHIFT
        | plan;
  }
}
