package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Joins what two files have of one domain: the descriptors of both, each of another key. */
final class DomainMerge {
  private DomainMerge() {}

  /**
   * @param faults of the second file.
   */
  static DomainSpec of(DomainSpec first, DomainSpec second, Faults faults) {
    List<DescriptorSpec> all = new ArrayList<>(first.descriptors());
    Set<String> known =
        all.stream().map(DescriptorSpec::compositeKey).collect(Collectors.toUnmodifiableSet());
    for (DescriptorSpec spec : second.descriptors()) {
      if (known.contains(spec.compositeKey())) {
        faults.add(
            spec.line(),
            "descriptors",
            Faults.printable(spec.compositeKey())
                + ": already in another file of the domain (expected: each key and value once)");
      }
      all.add(spec);
    }
    DescriptorSpec tooMany = DescriptorSpec.tooManySearching(all);
    if (tooMany != null) {
      faults.add(
          tooMany.line(),
          "descriptors",
          Faults.printable(tooMany.compositeKey()) + ": " + DomainReader.TOO_MANY_SEARCHING);
    }
    boolean isSaid = !second.options().equals(DomainOptions.NONE);
    if (isSaid && !first.options().equals(second.options())) {
      faults.add(
          0, "weir", "not that of another file of the domain (expected: in one of them only)");
    }
    return new DomainSpec(first.name(), List.copyOf(all), first.options());
  }
}
