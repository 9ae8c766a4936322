package dev.weir.proxy.request;

/**
 * The result of asking a question: its verdict, or the ticket of a verdict that comes later. Owned
 * by the {@link Admission} that was asked, and reused: valid until the next question.
 */
public final class Asked {
  private Verdict verdict;
  private long ticket = Admission.SETTLED;
  private boolean countsMessages;

  /** Sets a known verdict. */
  public Asked settled(Verdict known) {
    verdict = known;
    ticket = Admission.SETTLED;
    countsMessages = false;
    return this;
  }

  /** Sets the ticket of a verdict that comes later. */
  public Asked awaited(long byTicket) {
    verdict = null;
    ticket = byTicket;
    countsMessages = false;
    return this;
  }

  /** Sets whether the rule charges each message of a stream. */
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
   * Whether the rule charges each message of a stream: then a question like this one has to be
   * asked before each message except the first.
   */
  public boolean countsMessages() {
    return countsMessages;
  }
}
