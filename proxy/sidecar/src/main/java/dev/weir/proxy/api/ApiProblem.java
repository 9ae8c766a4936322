package dev.weir.proxy.api;

import dev.weir.proxy.records.RecordFault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer that is a problem (RFC 9457). */
public final class ApiProblem extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;
  private final transient List<RecordFault> errors;
  private final transient Map<String, Object> members = new LinkedHashMap<>();
  private final transient Map<String, String> fields = new LinkedHashMap<>();

  /**
   * A problem without faults of a body.
   *
   * @param status of HTTP.
   * @param detail what is wrong, and what was expected.
   */
  public ApiProblem(int status, String detail) {
    this(status, detail, List.of());
  }

  /**
   * A problem of a body.
   *
   * @param errors faults of the body.
   */
  public ApiProblem(int status, String detail, List<RecordFault> errors) {
    super(detail, null, false, false);
    this.status = status;
    this.errors = List.copyOf(errors);
  }

  /** Adds a member to the JSON. */
  public ApiProblem member(String name, Object value) {
    members.put(name, value);
    return this;
  }

  /** Adds a field to the answer. */
  public ApiProblem field(String name, String value) {
    fields.put(name, value);
    return this;
  }

  int status() {
    return status;
  }

  List<RecordFault> errors() {
    return errors;
  }

  Map<String, Object> members() {
    return members;
  }

  Map<String, String> fields() {
    return fields;
  }
}
