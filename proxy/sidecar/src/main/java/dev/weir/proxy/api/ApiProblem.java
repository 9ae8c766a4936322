package dev.weir.proxy.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer that is a problem (RFC 9457). */
public final class ApiProblem extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;
  private final transient List<Map<String, Object>> errors = new ArrayList<>();
  private final transient Map<String, Object> members = new LinkedHashMap<>();
  private final transient Map<String, String> fields = new LinkedHashMap<>();

  /**
   * A problem of which no value of the request is the fault.
   *
   * @param status of HTTP.
   * @param detail what is wrong, and what was expected.
   */
  public ApiProblem(int status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  /**
   * A problem of a body.
   *
   * @param faults of the body.
   */
  public ApiProblem(int status, String detail, List<RecordFault> faults) {
    this(status, detail);
    errors.addAll(Answers.faults(faults));
  }

  /**
   * A problem of something that is not as it has to be.
   *
   * @param expected completes "expected: ...".
   */
  public static ApiProblem of(int status, String found, String expected) {
    return new ApiProblem(status, found + " (expected: " + expected + ")")
        .error(null, null, found, expected);
  }

  /** The problem of a parameter, of the query or the path. */
  public static ApiProblem ofParameter(String name, String found, String expected) {
    return ofParameter(400, name, found, expected);
  }

  /** The problem of a parameter that ends in another status than 400. */
  static ApiProblem ofParameter(int status, String name, String found, String expected) {
    String shown = JsonText.shown(found);
    return new ApiProblem(
            status, "parameter " + name + ": " + shown + " (expected: " + expected + ")")
        .error("parameter", name, shown, expected);
  }

  /** The problem of a field of the head. */
  static ApiProblem ofField(int status, String name, String found, String expected) {
    String shown = JsonText.shown(found);
    return new ApiProblem(status, name + ": " + shown + " (expected: " + expected + ")")
        .error("field", name, shown, expected);
  }

  /**
   * Adds a fault.
   *
   * @param kind {@code parameter}, {@code field} or {@code pointer}; null if it has no place.
   * @param at its name, or where in the body it stands.
   * @param expected null if nothing is said.
   */
  public ApiProblem error(String kind, String at, String found, String expected) {
    Map<String, Object> error = new LinkedHashMap<>();
    if (kind != null) {
      error.put(kind, at);
    }
    error.put("found", found);
    if (expected != null) {
      error.put("expected", expected);
    }
    errors.add(error);
    return this;
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

  /** The members {@code errors} of the JSON. */
  List<Map<String, Object>> errors() {
    return errors;
  }

  Map<String, Object> members() {
    return members;
  }

  Map<String, String> fields() {
    return fields;
  }
}
