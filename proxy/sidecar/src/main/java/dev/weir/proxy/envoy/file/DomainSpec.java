package dev.weir.proxy.envoy.file;

import java.util.List;

/**
 * A domain as a file has it.
 *
 * @param descriptors in the order of the file.
 * @param options of the domain's answers.
 */
public record DomainSpec(String name, List<DescriptorSpec> descriptors, DomainOptions options) {}
