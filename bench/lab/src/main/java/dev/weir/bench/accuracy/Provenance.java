package dev.weir.bench.accuracy;

import dev.weir.bench.report.Commit;

/**
 * Where a report comes from.
 *
 * @param command that makes it again.
 * @param commit of the sources beside which the classes are, "unknown" without git.
 */
record Provenance(String command, String commit, String machine) {
  static Provenance of(Settings settings) {
    final Population population = settings.population();
    return new Provenance(
        "./weir bench accuracy --seed "
            + settings.seed()
            + " --requests "
            + settings.requests()
            + " --keys "
            + population.keys()
            + " --exponent "
            + Numbers.plain(population.exponent()),
        Commit.head(),
        System.getProperty("os.name")
            + ", "
            + System.getProperty("os.arch")
            + ", Java "
            + Runtime.version());
  }
}
