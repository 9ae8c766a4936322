package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.control.YamlBudget;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A folder of files of envoyproxy/ratelimit: all whose names end with {@code .yaml} or {@code
 * .yml}, in the order of names. Names that begin with a dot are ignored: Kubernetes uses them for
 * link targets, editors for unsaved files.
 */
public final class ConfigurationFolder {
  /** The most files. */
  static final int MAX_FILES = 10_000;

  /** The most bytes of all files: they are kept for comparison, twice while they change. */
  static final int MAX_BYTES = 8 << 20;

  private final Path folder;
  private final boolean mergesDomains;
  private final LimitCompiler compiler;

  /**
   * @param mergesDomains whether several files may have one domain, whose descriptors are joined.
   * @param hasStore whether limits are of mode exact by default.
   * @param ringCells length of the rings in this node's tables; 0 for none.
   * @param unixEpochNs the Unix epoch by the clock of the checks.
   */
  public ConfigurationFolder(
      Path folder, boolean mergesDomains, boolean hasStore, int ringCells, long unixEpochNs) {
    this.folder = folder;
    this.mergesDomains = mergesDomains;
    this.compiler = new LimitCompiler(hasStore, ringCells, unixEpochNs);
  }

  public Path path() {
    return folder;
  }

  /** The contents of all files by path, in the order of reading. */
  Map<Path, byte[]> content(List<Faults> faults) {
    List<Path> paths = new ArrayList<>();
    Faults ofFolder = Faults.ofFile(folder.toString());
    faults.add(ofFolder);
    if (!Files.isDirectory(folder)) {
      ofFolder.add(
          0, "", (Files.exists(folder) ? "no folder" : "not found") + " (expected: a folder)");
      return Map.of();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, this::isConfiguration)) {
      files.forEach(paths::add);
    } catch (IOException failed) {
      ofFolder.add(0, "", "cannot be read: " + failed.getMessage());
      return Map.of();
    }
    if (paths.isEmpty() || paths.size() > MAX_FILES) {
      String expected = "1 to " + MAX_FILES + " that end with .yaml or .yml";
      ofFolder.add(0, "", paths.size() + " files (expected: " + expected + ")");
      return Map.of();
    }
    Collections.sort(paths);
    Map<Path, byte[]> content = new LinkedHashMap<>();
    int bytesLeft = MAX_BYTES;
    for (Path path : paths) {
      Faults ofFile = Faults.ofFile(path.toString());
      faults.add(ofFile);
      byte[] ofPath = SettingsFile.content(path, ofFile);
      bytesLeft -= ofPath == null ? 0 : ofPath.length;
      if (bytesLeft < 0) {
        ofFolder.add(0, "", "more than 8MiB in all files (expected: at most 8MiB)");
        return Map.of();
      }
      content.put(path, ofPath);
    }
    return content;
  }

  private boolean isConfiguration(Path path) {
    String name = path.getFileName().toString();
    return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml"));
  }

  /**
   * Reads all files.
   *
   * @param faults receives those of each file; a file without faults has none.
   * @return null if any file has a fault: then none is used.
   */
  public RateLimitConfiguration read(List<Faults> faults) {
    return read(content(faults), faults, null);
  }

  /**
   * Reads the contents of files; files that could not be read are among the faults already.
   *
   * @param previous the configuration to be replaced, whose budgets continue; null at the start.
   */
  RateLimitConfiguration read(
      Map<Path, byte[]> content, List<Faults> faults, RateLimitConfiguration previous) {
    Map<String, DomainSpec> domains = new LinkedHashMap<>();
    Map<String, Path> files = new LinkedHashMap<>();
    int values = 0;
    for (Map.Entry<Path, byte[]> file : content.entrySet()) {
      Faults ofFile = Faults.ofFile(file.getKey().toString());
      faults.add(ofFile);
      DomainReader reader = new DomainReader(ofFile, compiler, values);
      DomainSpec read = file.getValue() == null ? null : reader.read(file.getValue());
      if (read != null && ofFile.isEmpty()) {
        add(read, file.getKey(), domains, files, ofFile);
      }
      values = reader.valuesSoFar();
      if (values > YamlBudget.MAX_VALUES) {
        break; // each file behind it would be told as one too many
      }
    }
    boolean isGood = faults.stream().allMatch(Faults::isEmpty);
    return isGood
        ? new RateLimitConfiguration(List.copyOf(domains.values()), compiler, previous)
        : null;
  }

  private void add(
      DomainSpec read,
      Path path,
      Map<String, DomainSpec> domains,
      Map<String, Path> files,
      Faults faults) {
    DomainSpec before = domains.putIfAbsent(read.name(), read);
    Path firstFile = files.putIfAbsent(read.name(), path);
    if (before == null) {
      return;
    }
    String where = Faults.printable(read.name()) + ": already in " + firstFile;
    if (!mergesDomains) {
      faults.add(0, "domain", where + " (expected: each domain once)");
      return;
    }
    domains.put(read.name(), before.with(read, faults));
  }
}
