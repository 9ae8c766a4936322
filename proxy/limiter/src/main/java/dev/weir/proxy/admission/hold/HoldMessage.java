package dev.weir.proxy.admission.hold;

/**
 * A message of a {@link Holder} to the store: for each limit the units that it holds, those that it
 * has charged since it began, and those that it asks for. The first two are absolute. Filled anew
 * for each message.
 */
public final class HoldMessage {
  /** The holder's name; no other holder of the key ever has it. */
  long id;

  /** Larger than in any message before it under the same id. */
  long sequence;

  /** Whether the store may have no record of the id yet. */
  boolean mayBeNew;

  /** Requests that want units now; 0 only says. */
  long requests;

  /** Further requests whose units are wanted in hand. */
  long keep;

  final long[] held = new long[Holder.MAX_LIMITS];
  final long[] charged = new long[Holder.MAX_LIMITS];

  public long id() {
    return id;
  }

  public long sequence() {
    return sequence;
  }

  public boolean mayBeNew() {
    return mayBeNew;
  }

  public long requests() {
    return requests;
  }

  public long keep() {
    return keep;
  }

  /** Units of a limit that are held, without those that the message asks for. */
  public long held(int limit) {
    return held[limit];
  }

  /** Units of a limit that have been charged since the id is in use. */
  public long charged(int limit) {
    return charged[limit];
  }
}
