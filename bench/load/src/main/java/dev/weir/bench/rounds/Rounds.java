package dev.weir.bench.rounds;

import dev.weir.bench.process.Cores;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * How servers are compared: in rounds, in each of which every server has its turn, so that what
 * disturbs one disturbs all.
 *
 * @param seconds of each measurement.
 * @param warmUpSeconds of each server, before what it is measured at.
 * @param cores of the servers and of the load.
 * @param progress is told each step.
 */
public record Rounds(
    int count, double seconds, double warmUpSeconds, Cores cores, Consumer<String> progress) {
  public void tell(String format, Object... values) {
    progress.accept(String.format(Locale.ROOT, format, values));
  }
}
