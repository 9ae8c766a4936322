package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A client of {@code /api/v1}. */
final class Api {
  private static final String BASE = "/api/v1";
  private static final String JSON = "application/json";
  private static final int OK = 200;
  private static final int MULTIPLE_CHOICES = 300;
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;
  private static final int MAX_CHARACTERS = 64 << 20;

  /** How often in a row a request waits for being let in. */
  private static final int MOST_WAITS = 20;

  private static final long MS_PER_S = 1_000;

  private final AdminPort port;
  private final String token;

  /**
   * @param token null for none.
   */
  Api(AdminPort port, String token) {
    this.port = port;
    this.token = token;
  }

  /**
   * An answer of success.
   *
   * @param etag without its quotation marks; null without one.
   * @param next where the next answer goes on; null if this is the last one.
   */
  record Reply(String etag, String next, String body) {
    /** The members of the body's object. */
    Map<String, Object> object() throws ApiFault {
      try {
        if (JsonText.read(body, MAX_CHARACTERS) instanceof Map<?, ?> object) {
          Map<String, Object> members = new LinkedHashMap<>();
          object.forEach((name, value) -> members.put((String) name, value));
          return members;
        }
      } catch (BadRecordException noJson) {
        // as below
      }
      throw new ApiFault(ExitCode.UNAVAILABLE, "no answer of the API: no object of JSON");
    }
  }

  /** A request that is being made. */
  final class Call {
    private final String method;
    private final String path;
    private final AdminPort.Parameters parameters = new AdminPort.Parameters();
    private final Map<String, String> fields = new LinkedHashMap<>();
    private byte[] body;

    private Call(String method, String path) {
      this.method = method;
      this.path = path;
      if (token != null) {
        fields.put("Authorization", "Bearer " + token);
      }
    }

    /** Adds a parameter; a null value adds none. */
    Call with(String name, Object value) {
      parameters.add(name, value == null ? null : value.toString());
      return this;
    }

    /** Says why, for the audit; null says nothing. A field could not hold every letter. */
    Call because(String reason) {
      return with("reason", reason);
    }

    /**
     * Expects a version of what is changed.
     *
     * @param etag null if it must not exist.
     */
    Call expecting(String etag) {
      fields.put(
          etag == null ? "If-None-Match" : "If-Match", etag == null ? "*" : '"' + etag + '"');
      return this;
    }

    /** Sends JSON. */
    Call json(String text) {
      return body(JSON, text);
    }

    Call body(String type, String text) {
      fields.put("Content-Type", type);
      body = text.getBytes(StandardCharsets.UTF_8);
      return this;
    }

    /** Sends it, and returns the answer of success. */
    Reply send() throws ApiFault {
      return success(ask());
    }

    /** Sends one of several requests, which may wait for being let in. */
    Reply sendPatiently() throws ApiFault {
      for (int waits = 0; ; waits++) {
        try {
          return send();
        } catch (ApiFault fault) {
          if (fault.retryAfterSeconds() == 0 || waits == MOST_WAITS) {
            throw fault;
          }
          pause(fault.retryAfterSeconds());
        }
      }
    }

    /** Sends as {@link #send} does; null if there is no such thing. */
    Reply sendForAny() throws ApiFault {
      AdminPort.Answer answer = ask();
      return answer.status() == NOT_FOUND ? null : success(answer);
    }

    private AdminPort.Answer ask() throws ApiFault {
      try {
        return port.ask(new AdminPort.Request(method, BASE + path, parameters, fields, body));
      } catch (IOException nobody) {
        throw new ApiFault(ExitCode.UNAVAILABLE, nobody.getMessage());
      }
    }
  }

  private static Reply success(AdminPort.Answer answer) throws ApiFault {
    if (answer.status() < OK || answer.status() >= MULTIPLE_CHOICES) {
      throw new ApiFault(ExitCode.of(answer.status()), problem(answer), retryAfterSeconds(answer));
    }
    String etag = answer.fields().get("etag");
    return new Reply(
        etag == null ? null : etag.replace("\"", ""),
        answer.fields().get("weir-next"),
        answer.body());
  }

  /** Waits so long. */
  static void pause(int seconds) throws ApiFault {
    try {
      Thread.sleep(seconds * MS_PER_S);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ApiFault(ExitCode.UNAVAILABLE, "interrupted");
    }
  }

  Call get(String path) {
    return new Call("GET", path);
  }

  Call put(String path) {
    return new Call("PUT", path);
  }

  Call post(String path) {
    return new Call("POST", path);
  }

  Call delete(String path) {
    return new Call("DELETE", path);
  }

  /** A text as one segment of a path. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  /** In how many seconds it may be asked again; 0 if it was not refused for being too much. */
  private static int retryAfterSeconds(AdminPort.Answer answer) {
    String field = answer.fields().getOrDefault("retry-after", "1");
    return answer.status() != TOO_MANY
        ? 0
        : field.matches("[1-9][0-9]?") ? Integer.parseInt(field) : 1;
  }

  /** The lines that tell of a problem (RFC 9457). */
  private static String problem(AdminPort.Answer answer) {
    StringBuilder lines = new StringBuilder();
    try {
      if (JsonText.read(answer.body(), MAX_CHARACTERS) instanceof Map<?, ?> problem) {
        Object detail = problem.get("detail");
        lines.append(
            JsonText.printable(String.valueOf(detail == null ? problem.get("title") : detail)));
        if (problem.get("errors") instanceof List<?> errors) {
          errors.stream()
              .filter(error -> error instanceof Map<?, ?> fault && fault.containsKey("pointer"))
              .forEach(error -> lines.append("\n  ").append(fault(error))); // detail tells others
        }
      }
    } catch (BadRecordException noJson) {
      lines.append(JsonText.shown(answer.body().strip()));
    }
    return answer.status() + ": " + lines;
  }

  /** A fault as {@code /limits/rpm: 0/1m (expected: 1 or more per window)}. */
  static String fault(Object error) {
    if (!(error instanceof Map<?, ?> fault)) {
      return JsonText.shown(error);
    }
    Object line = fault.get("line");
    Object pointer = fault.get("pointer");
    Object expected = fault.get("expected");
    boolean isWhole = pointer == null || pointer.equals("");
    String text =
        (line == null ? "" : "line " + line + ": ")
            + (isWhole ? "" : pointer + ": ")
            + fault.get("found")
            + (expected == null ? "" : " (expected: " + expected + ")");
    return JsonText.printable(text);
  }
}
