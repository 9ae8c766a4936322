package dev.weir.proxy.request;

/**
 * What asking a question has come to: its verdict, or the ticket of a verdict that comes later.
 * Owned by the {@link Admission} that was asked, and reused: valid until the next question.
 */
public final class Asked {
  private Verdict verdict;
  private long ticket = Admission.SETTLED;
  private boolean countsMessages;

  /** The verdict is known. */
  public Asked settled(Verdict known) {
    verdict = known;
    ticket = Admission.SETTLED;
    countsMessages = false;
    return this;
  }

  /** The verdict comes later, to whoever asked. */
  public Asked awaited(long byTicket) {
    verdict = null;
    ticket = byTicket;
    countsMessages = false;
    return this;
  }

  /** Says whether the rule counts the messages of a stream. */
  public Asked countsMessages(boolean counts) {
    countsMessages = counts;
    return this;
  }

  /** The verdict; null if it comes later. */
  public Verdict verdict() {
    return verdict;
  }

  /**
   * The ticket for {@link VerdictListener#decided} and {@link Admission#ended}; {@link
   * Admission#SETTLED} if the verdict is known.
   */
  public long ticket() {
    return ticket;
  }

  /**
   * Whether the rule counts the messages of a stream: then a question like this one is to be asked
   * before each message but the first.
   */
  public boolean countsMessages() {
    return countsMessages;
  }
}
