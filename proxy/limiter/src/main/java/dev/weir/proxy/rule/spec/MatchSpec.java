package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.FieldName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The requests that a rule is for: the section {@code match} of a rule.
 *
 * @param path the paths, or the calls of gRPC.
 * @param methods exact and case-sensitive; none means all.
 */
public record MatchSpec(PathPattern path, List<String> methods) {
  public MatchSpec {
    methods = List.copyOf(methods);
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

  /** The fields, as they stand in the text of a {@link RuleSpec}. */
  @Override
  public String toString() {
    return "path=" + path + ", methods=" + methods;
  }

  /** Starts from a section that says nothing: every request. Each setter returns the builder. */
  public static final class Builder {
    private PathPattern path;
    private PathPattern grpc;
    private List<String> methods = List.of();

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

    MatchSpec build() {
      PathPattern either = path == null ? grpc : path;
      return new MatchSpec(either == null ? PathPattern.ANY : either, methods);
    }
  }
}
