package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A domain as it was read.
 *
 * @param descriptors in the order of the file.
 * @param options of the domain.
 */
public record DomainSpec(String name, List<DescriptorSpec> descriptors, DomainOptions options) {
  /**
   * This domain with the descriptors of another file; their keys must differ.
   *
   * @param faults of the other file.
   */
  DomainSpec with(DomainSpec second, Faults faults) {
    List<DescriptorSpec> all = new ArrayList<>(descriptors);
    Set<String> known =
        all.stream().map(DescriptorSpec::compositeKey).collect(Collectors.toUnmodifiableSet());
    for (DescriptorSpec spec : second.descriptors) {
      if (known.contains(spec.compositeKey())) {
        spec.fault(
            "already in another file of the domain (expected: each key and value once)", faults);
      }
      all.add(spec);
    }
    DescriptorSpec.checkSearching(all, faults);
    boolean isSaid = !second.options.equals(DomainOptions.NONE);
    if (isSaid && !options.equals(second.options)) {
      faults.add(
          0, "weir", "not that of another file of the domain (expected: in one of them only)");
    }
    return new DomainSpec(name, List.copyOf(all), options);
  }
}
