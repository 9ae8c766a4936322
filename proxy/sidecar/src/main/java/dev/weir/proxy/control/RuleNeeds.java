package dev.weir.proxy.control;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.token.TokenSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Checks whether a process has what its rules need: a store, and room for the rings of limits in
 * the table that is made at start and never grows.
 */
final class RuleNeeds {
  private final List<RuleSpec> rules;
  private final IntFunction<String> at;
  private final Misfits misfits;

  /**
   * @param rules each right by itself.
   * @param at what stands before the names of a rule's fields, by its place.
   */
  RuleNeeds(List<RuleSpec> rules, IntFunction<String> at, Misfits misfits) {
    this.rules = rules;
    this.at = at;
    this.misfits = misfits;
  }

  /**
   * These needs with those of the limits of all requests.
   *
   * @param everywhere null if there are none.
   */
  RuleNeeds withEverywhere(RuleSpec everywhere) {
    if (everywhere == null) {
      return this;
    }
    List<RuleSpec> all = new ArrayList<>(rules);
    all.add(everywhere);
    return new RuleNeeds(all, rule -> rule < rules.size() ? at.apply(rule) : "", misfits);
  }

  /**
   * Reports what the rules need that a process does not have until it is started again.
   *
   * @param running what it was started with.
   */
  void checkAtReload(Settings running) {
    checkRingsAtReload(running.ringCells());
    checkTrust(!running.identity().trustedProxies().isEmpty());
    checkTokens(running.tokens());
  }

  /** Reports the rules that ask a store that there is not. */
  void checkStore(StoreSettings store) {
    checkStore(store, "redis.nodes to be set");
  }

  /** Reports the rules that ask a store which the process has not, although the file says so. */
  void checkStoreAtReload(StoreSettings running) {
    checkStore(running, "redis.nodes to be set at the start: there is no store until a restart");
  }

  private void checkStore(StoreSettings store, String toDo) {
    for (int i = 0; i < rules.size() && !store.isConfigured(); i++) {
      RuleSpec rule = rules.get(i);
      if (rule.asksStore()) {
        misfits.add(
            at.apply(i) + rule.fieldThatAsksStore(),
            rule.modeThatAsksStore().toString(),
            "local, or " + toDo);
      }
      if (rule.countsPeers()) {
        misfits.add(
            at.apply(i) + "share", "auto", "none, or " + toDo + ": peers are counted there");
      }
    }
  }

  /** Reports the rules whose keys are claims of tokens that nothing verifies. */
  void checkTokens(TokenSettings tokens) {
    for (int i = 0; i < rules.size() && !tokens.isConfigured(); i++) {
      RuleSpec rule = rules.get(i);
      for (int j = 0; j < rule.budgets().size(); j++) {
        KeySpec key = rule.budgets().get(j).key();
        if (key.readsTokens()) {
          boolean isOwn =
              rule.isEverywhere()
                  || rule.budgets().stream().anyMatch(other -> !other.key().equals(key));
          misfits.add(
              at.apply(i) + (isOwn ? rule.fieldsOf(j) : "") + "key",
              key.toString(),
              "jwt.keys or jwt.keys-url to be set, which verify tokens");
          break;
        }
      }
    }
  }

  /**
   * Reports costs that a header says, if there is nobody whose header is believed.
   *
   * @param hasTrusted whether there are trusted proxies.
   */
  void checkTrust(boolean hasTrusted) {
    for (int i = 0; i < rules.size() && !hasTrusted; i++) {
      String field = rules.get(i).fieldOfCostHeader();
      if (field != null) {
        misfits.add(at.apply(i) + field, "a header", "trusted-proxies, whose headers are believed");
      }
    }
  }

  /** Reports limits for whose rings a process that is to be started would have no room. */
  void checkRingsAtStart(AdmissionSettings settings) {
    int needed = rules.stream().mapToInt(RuleSpec::ringCells).max().orElse(0);
    int cells = settings.ringCells(needed);
    if (settings.ringCellCount() != 0) {
      checkRings(cells, "as table.ring-cells says");
    }
    int mostKeys = cells == 0 ? Integer.MAX_VALUE : LimitTables.maxRingKeys(cells);
    if (settings.ringKeyCount() > mostKeys) {
      misfits.add(
          "table.ring-keys",
          Integer.toString(settings.ringKeyCount()),
          "at most " + mostKeys + ", as each has " + cells + " cells, and all of them 2GiB");
    }
  }

  /** Reports limits whose rings are longer than those of a running process; 0 if it has none. */
  private void checkRingsAtReload(int ringCells) {
    checkRings(ringCells, "as there are until a restart; see table.ring-cells");
  }

  private void checkRings(int ringCells, String why) {
    for (int i = 0; i < rules.size(); i++) {
      RuleSpec rule = rules.get(i);
      for (int j = 0; j < rule.budgets().size() && rule.ringCells() > ringCells; j++) {
        LimitSpec limit = rule.budgets().get(j).limit();
        if (limit.cells() > ringCells) {
          misfits.add(
              at.apply(i) + rule.fieldsOf(j) + "limit",
              limit.rate().toString(),
              "at most %d cells for each key, not %d, %s".formatted(ringCells, limit.cells(), why));
        }
      }
    }
  }
}
