/**
 * Rate-limiting algorithms and the off-heap state they work on. Everything here takes the time as
 * an argument and knows longs, nothing else: no clock, socket, logger or setting.
 *
 * <p>For callers: {@link dev.weir.algorithms.Limit} says how much may pass, {@link
 * dev.weir.algorithms.LimitTable} decides for many keys and writes the answer into a {@link
 * dev.weir.algorithms.Decision}, {@link dev.weir.algorithms.LimitSet} charges several budgets
 * together, {@link dev.weir.algorithms.SipHash} makes keys of identities, {@link
 * dev.weir.algorithms.UserTable} keeps which plan each user has.
 *
 * <p>Inside, a check goes this way: {@code LimitTable} finds the key's slot in {@code Slots}, whose
 * two words {@code SlotLayout} rules; the kind of {@code Limit} works out the next word from the
 * present one ({@code PacedLimit} with {@code Gcra} and {@code Ticks}, {@code FixedWindowLimit} and
 * {@code SlidingCounterLimit} with {@code StateWord} and {@code Windows}, {@code SlidingLogLimit}
 * and {@code BucketRingLimit} with cells beside the slot); a CAS puts it in place. {@code
 * OverflowMarks} and {@code Counters} are for what finds no slot, {@code TableMemory} is where it
 * all lies.
 */
package dev.weir.algorithms;
