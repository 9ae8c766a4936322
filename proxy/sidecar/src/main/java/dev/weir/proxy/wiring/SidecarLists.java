package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.control.AddressListFile;
import dev.weir.proxy.control.AddressListSettings;
import dev.weir.proxy.control.ListSettings;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The lists of addresses of a sidecar, with the files that they name. */
public final class SidecarLists implements AutoCloseable {
  private final Reloads reloads = new Reloads();
  private final List<AddressListFile> allowFiles;
  private final List<AddressListFile> blockFiles;
  private ListSettings settings;

  /** Null until they are followed. */
  private AddressLists lists;

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be used; its message says which, and the line.
   */
  SidecarLists(ListSettings settings) throws IOException {
    this.settings = settings;
    allowFiles = read("lists.allow", settings.allow().files());
    blockFiles = read("lists.block", settings.block().files());
  }

  private List<AddressListFile> read(String setting, List<Path> paths) throws IOException {
    List<AddressListFile> files = new ArrayList<>();
    for (Path path : paths) {
      files.add(new AddressListFile(setting, path, reloads, this::publish));
    }
    return files;
  }

  /** The faults that a start would find in the files; none if they can be used now. */
  public static List<String> faults(ListSettings settings) {
    try {
      new SidecarLists(settings).close();
      return List.of();
    } catch (IOException fault) {
      return List.of(fault.getMessage());
    }
  }

  /** Puts the lists into use, follows their files, and exposes whether those are in use. */
  void follow(AddressLists by, Metrics metrics) {
    fill(by);
    if (settings.hasFiles()) {
      metrics.counters(
          "weir_lists_reloads",
          "Reloads of files of lists, by outcome.",
          "outcome",
          Map.of("taken", reloads::takenCount, "rejected", reloads::rejectedCount));
      new SidecarFigures(metrics).expose("weir_lists", "lists", reloads);
      allowFiles.forEach(AddressListFile::start);
      blockFiles.forEach(AddressListFile::start);
    }
  }

  /** Puts the lists into use as they are now. */
  void fill(AddressLists by) {
    lists = by;
    publish();
  }

  /** Replaces the networks that stand in the settings. Any thread. */
  synchronized void use(ListSettings changed) {
    settings = changed;
    publish();
  }

  Reloads reloads() {
    return reloads;
  }

  /** Reads the files again, changed or not. Any thread. */
  void reload() {
    allowFiles.forEach(AddressListFile::reload);
    blockFiles.forEach(AddressListFile::reload);
  }

  private synchronized void publish() {
    lists.use(set(settings.allow(), allowFiles), set(settings.block(), blockFiles));
  }

  private static CidrSet set(AddressListSettings list, List<AddressListFile> files) {
    List<Cidr> networks = new ArrayList<>(list.networks());
    files.forEach(file -> networks.addAll(file.networks()));
    return CidrSet.of(networks);
  }

  @Override
  public void close() {
    allowFiles.forEach(AddressListFile::close);
    blockFiles.forEach(AddressListFile::close);
  }
}
