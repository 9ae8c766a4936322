package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Configurations of texts, as if each were a file: {@code a.yaml}, {@code b.yaml} and so on. */
public final class Configurations {
  private Configurations() {}

  /** A configuration whose limits this node decides on; there is no store. */
  public static RateLimitConfiguration local(String... texts) {
    return localAfter(null, texts);
  }

  /** As {@link #local}, where another configuration is in use; null if none is. */
  public static RateLimitConfiguration localAfter(
      RateLimitConfiguration previous, String... texts) {
    return read(folder(false, false), previous, texts);
  }

  /** A configuration whose limits the store decides on. */
  public static RateLimitConfiguration exact(String... texts) {
    return read(folder(false, true), null, texts);
  }

  /** A configuration of files that may have one domain together. */
  public static RateLimitConfiguration merged(String... texts) {
    return read(folder(true, false), null, texts);
  }

  private static RateLimitConfiguration read(
      ConfigurationFolder folder, RateLimitConfiguration previous, String... texts) {
    List<Faults> faults = new ArrayList<>();
    RateLimitConfiguration read = folder.read(content(texts), faults, previous);
    if (read == null) {
      throw new AssertionError(text(faults));
    }
    return read;
  }

  /** All faults of texts, one per line; empty if they are good. */
  public static String faults(String... texts) {
    return faults(folder(false, false), texts);
  }

  /** All faults of texts where there is a store. */
  public static String faultsExact(String... texts) {
    return faults(folder(false, true), texts);
  }

  public static String faultsMerged(String... texts) {
    return faults(folder(true, false), texts);
  }

  private static String faults(ConfigurationFolder folder, String... texts) {
    List<Faults> faults = new ArrayList<>();
    RateLimitConfiguration read = folder.read(content(texts), faults, null);
    String text = text(faults);
    if ((read == null) == text.isEmpty()) {
      throw new AssertionError(read + " with faults: " + text);
    }
    return text;
  }

  private static String text(List<Faults> faults) {
    return faults.stream()
        .flatMap(of -> of.all().stream())
        .map(Object::toString)
        .collect(Collectors.joining("\n"));
  }

  private static ConfigurationFolder folder(boolean mergesDomains, boolean hasStore) {
    return new ConfigurationFolder(Path.of("limits"), mergesDomains, hasStore, 0, 0);
  }

  private static Map<Path, byte[]> content(String... texts) {
    Map<Path, byte[]> content = new LinkedHashMap<>();
    for (String text : texts) {
      String name = (char) ('a' + content.size()) + ".yaml";
      content.put(Path.of(name), text.getBytes(StandardCharsets.UTF_8));
    }
    return content;
  }
}
