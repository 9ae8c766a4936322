package dev.weir.proxy.wiring;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The arguments of {@code weir run}.
 *
 * @param file the settings file; null if there is none.
 * @param flags texts by flag, as {@code SettingsFlags} reads them, in the order of the help.
 * @param problems faults of the line itself, a sentence each; mostly empty.
 */
public record RunArguments(Path file, Map<String, String> flags, List<String> problems) {}
