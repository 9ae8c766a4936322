package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.FieldName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The requests that a rule is for: the section {@code match} of a rule.
 *
 * @param host null for every host.
 * @param path the paths, or the calls of gRPC.
 * @param methods exact and case-sensitive; none means all.
 * @param fields what is asked of headers and query parameters, each name once.
 * @param cidr networks of clients; none means all.
 */
public record MatchSpec(
    HostPattern host,
    PathPattern path,
    List<String> methods,
    List<FieldCondition> fields,
    List<Cidr> cidr) {
  /** The most conditions on headers of one rule, and on query parameters. */
  public static final int MAX_FIELDS = 16;

  /** The most networks of one rule. */
  public static final int MAX_NETWORKS = 1000;

  public MatchSpec {
    methods = List.copyOf(methods);
    fields = List.copyOf(fields);
    cidr = List.copyOf(cidr);
  }

  /**
   * The number of conditions beside host and path: of rules for one path those with more stand
   * first.
   */
  public int conditionCount() {
    return fields.size() + (methods.isEmpty() ? 0 : 1) + (cidr.isEmpty() ? 0 : 1);
  }

  /** Whether more is asked than path and method. */
  public boolean asksMore() {
    return host != null || !fields.isEmpty() || !cidr.isEmpty();
  }

  /** Whether another section is for the same requests, in the same words. */
  public boolean isSame(MatchSpec other, boolean ignoreCase) {
    return Objects.equals(host, other.host)
        && path.canonical(ignoreCase).equals(other.path.canonical(ignoreCase))
        && methods.equals(other.methods)
        && fields.equals(other.fields)
        && cidr.equals(other.cidr);
  }

  /** Reports everything in this section that cannot be. */
  void check(RuleSpec.FaultSink sink) {
    if (path.isGrpc() && !methods.isEmpty()) {
      sink.fault("match.methods[0]", methods.get(0), "nothing, as match.grpc says which calls");
    }
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < methods.size(); i++) {
      String method = methods.get(i);
      if (!FieldName.isToken(method)) {
        sink.fault("match.methods[" + i + "]", method, "a method such as GET");
      } else if (!seen.add(method)) {
        sink.fault("match.methods[" + i + "]", method, "each method once");
      }
    }
  }

  /**
   * The fields, as they stand in the text of a {@link RuleSpec}: those of later versions if set.
   */
  @Override
  public String toString() {
    return "path="
        + path
        + ", methods="
        + methods
        + (host == null ? "" : ", host=" + host)
        + (fields.isEmpty() ? "" : ", fields=" + fields)
        + (cidr.isEmpty() ? "" : ", cidr=" + cidr);
  }

  /** Starts from a section that says nothing: every request. Each setter returns the builder. */
  public static final class Builder {
    private HostPattern host;
    private PathPattern path;
    private PathPattern grpc;
    private List<String> methods = List.of();
    private final List<FieldCondition> fields = new ArrayList<>();
    private List<Cidr> cidr = List.of();

    /** Sets the hosts, all unless they are said. */
    public Builder host(HostPattern host) {
      this.host = host;
      return this;
    }

    /**
     * Sets the paths, all unless they are said; not beside {@link #grpc}.
     *
     * @throws BadValueException if that is given.
     */
    public Builder path(PathPattern path) {
      this.path = path;
      return oneOfBoth(path, "nothing, as match.grpc says which paths");
    }

    /**
     * Sets the calls of gRPC, as {@link PathPattern#parseGrpc} has them; not beside {@link #path}.
     *
     * @throws BadValueException if that is given.
     */
    public Builder grpc(PathPattern grpc) {
      this.grpc = grpc;
      return oneOfBoth(grpc, "nothing, as match.path says which paths");
    }

    private Builder oneOfBoth(PathPattern last, String expected) {
      if (path != null && grpc != null) {
        throw new BadValueException(last.toString(), expected);
      }
      return this;
    }

    public Builder methods(List<String> methods) {
      this.methods = methods;
      return this;
    }

    /** Adds what is asked of a header or query parameter. */
    public Builder field(FieldCondition condition) {
      fields.add(condition);
      return this;
    }

    /** Sets the networks of clients, all unless they are said. */
    public Builder cidr(List<Cidr> cidr) {
      this.cidr = cidr;
      return this;
    }

    MatchSpec build() {
      PathPattern either = path == null ? grpc : path;
      return new MatchSpec(host, either == null ? PathPattern.ANY : either, methods, fields, cidr);
    }
  }
}
