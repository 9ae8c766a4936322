package dev.weir.proxy.control;

import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.rule.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Chooses the rules of a sidecar: those of a recorded set if there is one, else those of its file.
 * Limits that both have go on when they take turns. Any thread.
 */
public final class RuleChoice {
  private static final RecordName NO_RECORD = new RecordName(Kind.PART, "");

  /** Budgets keep their names in the store. */
  private static final String NO_MARK = "";

  private final RulesInUse inUse;
  private RuleSource file;
  private Consumer<RuleSource> whenFileChanges = rules -> {};
  private volatile boolean isRecorded;
  private boolean isDeciding;

  /**
   * @param file what is in use now.
   */
  public RuleChoice(RulesInUse inUse, RuleSource file) {
    this.inUse = inUse;
    this.file = file;
  }

  /** Tells somebody of each change of the file that decides; it must not wait. */
  public synchronized void whenFileChanges(Consumer<RuleSource> listener) {
    whenFileChanges = listener;
  }

  /** The rules in use. */
  public RuleSet rules() {
    return inUse.rules();
  }

  /** The means that rules of the file have if they are read now. */
  RuleSet beforeFile() {
    return isRecorded ? RuleSet.EMPTY : inUse.rules();
  }

  /**
   * Takes other rules of the file.
   *
   * @return whether they decide; else a recorded set does, and they wait for its end.
   */
  synchronized boolean useFile(RuleSource rules) {
    boolean isOther = !rules.equals(file);
    file = rules;
    if (!isRecorded) {
      publish(rules);
      if (isOther) {
        whenFileChanges.accept(rules);
      }
    }
    return !isRecorded;
  }

  /** Lets a recorded set decide from now on, unless it has faults. */
  public synchronized Reading useRecorded(RecordSet set, RecordedRules reader) {
    RuleSet before = isDeciding ? inUse.rules() : RuleSet.EMPTY;
    Reading reading = reader.read(set, before);
    if (reading.rules() != null) {
      isRecorded = true;
      publish(reading.rules());
    }
    return reading;
  }

  /** Requests are decided from now on: what follows has to go on with what was used. */
  public synchronized void begin() {
    isDeciding = true;
  }

  /**
   * Lets the rules of the file decide again.
   *
   * @return what they cannot become of those in use; then those stay.
   */
  public synchronized List<RecordedFault> returnToFile() {
    List<RecordedFault> faults = new ArrayList<>();
    if (isRecorded) {
      inUse
          .rules()
          .checkChange(
              file.rules(),
              file.everywhere(),
              LoopClock.timeNs(),
              (field, bad) ->
                  faults.add(
                      new RecordedFault(
                          NO_RECORD,
                          "",
                          "",
                          0,
                          "the file's " + field + ": " + bad.getMessage(),
                          "")));
    }
    if (isRecorded && faults.isEmpty()) {
      isRecorded = false;
      publish(file);
    }
    return faults;
  }

  private void publish(RuleSource rules) {
    inUse.change(before -> rules.compile(isDeciding ? before : before.cleared(NO_MARK)));
    inUse.use(rules.lists());
  }
}
