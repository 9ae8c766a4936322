package dev.weir.proxy.records;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Keeps a service's set of rules, a directory of users, and the audit of both. A write checks what
 * its author has seen, writes, and notes it in the audit, in one step: what cannot be audited is
 * not changed. Calls wait for disk or network, so no event loop makes any; any other thread may.
 *
 * <p>While the store cannot be reached each call throws {@link RecordStoreException}.
 */
public interface RecordStore extends AutoCloseable {
  /** The present set of rules. */
  RecordSet rules() throws RecordStoreException;

  /**
   * Changes rules and other parts of the set, all of them or none, as one version.
   *
   * @param head the version that the whole set has now; null for any. Each write has its own
   *     expectation beside it.
   * @return the new version of the set, and of each record written.
   * @throws StaleRecordException of the first record that is not as expected; of the set, as part
   *     {@code ""}.
   */
  RecordVersion writeRules(RecordVersion head, List<RecordWrite> writes, Author author)
      throws StaleRecordException, RecordStoreException;

  /** A user's record; empty if the directory has none. */
  Optional<StoredRecord> user(String identity) throws RecordStoreException;

  /**
   * Reads a user's record for decisions that wait for it: no longer than a moment, and without
   * repeating anything. One that decisions use most should wait for nothing.
   *
   * @param by runs what has to be done before and after; called by it.
   * @return completed by it, exceptionally if the store does not answer.
   */
  default CompletionStage<Optional<StoredRecord>> userAsync(String identity, Executor by) {
    try {
      return CompletableFuture.completedFuture(user(identity));
    } catch (RecordStoreException away) {
      return CompletableFuture.failedFuture(away);
    }
  }

  /**
   * Changes a user's record.
   *
   * @return its new version.
   */
  default RecordVersion writeUser(RecordWrite write, Author author)
      throws StaleRecordException, RecordStoreException {
    UserWritten written = writeUsers(List.of(write), author).get(0);
    if (written.stale() != null) {
      throw written.stale();
    }
    return written.version();
  }

  /**
   * Changes the records of several users, each for itself.
   *
   * @param writes of different users, at most 10,000.
   * @return what became of each, in their order.
   * @throws RecordStoreException if some could not be written; others may have been.
   */
  List<UserWritten> writeUsers(List<RecordWrite> writes, Author author) throws RecordStoreException;

  /**
   * Some users, in no order that is promised.
   *
   * @param after {@link UserPage#next} of the page before; null for the first.
   * @param most about how many, 1 to 1,000.
   */
  UserPage users(String after, int most) throws RecordStoreException;

  /** Notes an act that changes no record, such as a reset. */
  void note(String action, RecordName object, Author author) throws RecordStoreException;

  /** Some entries of the audit. */
  AuditPage audit(AuditQuery query) throws RecordStoreException;

  /** The sidecars of the service that live, and the set of rules that each has in use. */
  default List<RunningSidecar> sidecars() throws RecordStoreException {
    return List.of();
  }

  /** The id of this sidecar among {@link #sidecars}; empty if the store is its own. */
  default String sidecar() {
    return "";
  }

  /** Whether a version of the rules is, or was, one of this store: a failover may lose some. */
  default boolean knows(RecordVersion version) throws RecordStoreException {
    return true;
  }

  /**
   * Waits a moment until the last writes of records by this process are kept on another machine
   * too.
   *
   * @return false if they are not, as far as is known; null if there is no other to ask.
   */
  default Boolean isCopied(List<RecordName> names) {
    return null;
  }

  /**
   * Tells the store which set of rules this sidecar follows, for {@link #sidecars}.
   *
   * @param refused a later one that it cannot take; null if there is none.
   */
  default void use(RecordVersion version, RecordVersion refused) {}

  /** For how many seconds the store has been away; 0 while it answers. */
  default long awaySeconds() {
    return 0;
  }

  /** Sets who is told of changes, from now on; called once. */
  void listen(RecordListener listener);

  @Override
  void close();
}
