package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordVersion;
import java.util.List;

/**
 * Why a set of rules in the store is not in use here.
 *
 * @param version of that set; {@link RecordVersion#NONE} if the store has lost its sets.
 */
public record RecordSetFault(RecordVersion version, List<RecordedFault> faults) {
  public RecordSetFault {
    faults = List.copyOf(faults);
  }
}
