package dev.weir.proxy.api;

import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.WebRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One request of the API: what it names, what it expects, who sends it. */
public final class ApiRequest {
  /** The field that says why something is changed; the parameter {@code reason} says it too. */
  static final String REASON_FIELD = "Weir-Reason";

  static final String REASON = "reason";
  static final String DRY_RUN = "dry-run";

  private static final int MAX_REASON_CHARS = 500;
  private static final Pattern REQUEST_ID = Pattern.compile("[!-~]{1,128}");
  private static final Pattern ETAG = Pattern.compile("(W/)?\"([!#-~]*)\"");

  private final WebRequest http;
  private final Identities identities;
  private final OwnLimits limits;

  ApiRequest(WebRequest http, Identities identities, OwnLimits limits) {
    this.http = http;
    this.identities = identities;
    this.limits = limits;
  }

  /** Who sends it. */
  public Caller caller() {
    return http.caller();
  }

  /** The segment of the path that a name stands for. */
  public String path(String name) {
    return http.path().get(name);
  }

  /** The value of a parameter; {@code standard} without one. */
  public String query(String name, String standard) {
    return http.parameter(name, standard);
  }

  /** A field of the head; null for none. */
  public String field(String name) {
    return http.field(name);
  }

  /** The request as the web server has it. */
  public WebRequest http() {
    return http;
  }

  /** Whether nothing is to be changed: a parameter without a value, or {@code true}. */
  public boolean isDryRun() throws ApiProblem {
    String value = query(DRY_RUN, "false");
    return switch (value) {
      case "", "true" -> true;
      case "false" -> false;
      default -> throw ApiProblem.ofParameter(DRY_RUN, value, "true or false");
    };
  }

  /** A number of the query. */
  public int count(String name, int standard, int most) throws ApiProblem {
    String text = query(name, null);
    if (text == null) {
      return standard;
    }
    if (text.matches("[1-9][0-9]{0,8}") && Integer.parseInt(text) <= most) {
      return Integer.parseInt(text);
    }
    throw ApiProblem.ofParameter(name, text, "1 to " + most);
  }

  /** The text of the body. */
  public String body() throws BadRecordException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(http.body())).toString();
    } catch (CharacterCodingException binary) {
      throw new BadRecordException(List.of(new RecordFault("", 0, "bytes", "UTF-8")));
    }
  }

  /** The bytes of the body. */
  public byte[] bytes() {
    return http.body();
  }

  /** Who changes what this request changes, for the audit. */
  public Author author() throws ApiProblem {
    String ofField = http.field(REASON_FIELD);
    String reason = ofField == null ? query(REASON, "") : ofField;
    if (reason.length() > MAX_REASON_CHARS || reason.chars().anyMatch(Character::isISOControl)) {
      String expected = "at most " + MAX_REASON_CHARS + " characters, on one line";
      throw ofField == null
          ? ApiProblem.ofParameter(REASON, reason, expected)
          : ApiProblem.ofField(400, REASON_FIELD, reason, expected);
    }
    String id = http.field("X-Request-Id");
    return new Author(
        caller().name(),
        http.from() == null ? "" : http.from().getHostAddress(),
        id == null || !REQUEST_ID.matcher(id).matches() ? "" : id,
        reason);
  }

  /**
   * The version that the record to be changed must have: that of {@code If-Match}, or {@link
   * RecordVersion#NONE} for {@code If-None-Match: *}. The ETag of what was never written, {@code
   * "0-00000000"}, says the same.
   *
   * @throws ApiProblem 428 without either.
   */
  public RecordVersion expected() throws ApiProblem {
    RecordVersion expected = expectedIfSaid();
    if (expected == null) {
      throw ApiProblem.ofField(
          428,
          "If-Match",
          "missing",
          "the ETag of what is changed, or If-None-Match: * for what does not exist");
    }
    return expected;
  }

  /** Reads as {@link #expected} does; null without either. */
  public RecordVersion expectedIfSaid() throws ApiProblem {
    String match = http.field(HttpHeaderNames.IF_MATCH);
    String none = http.field(HttpHeaderNames.IF_NONE_MATCH);
    if (match != null && none != null) {
      throw ApiProblem.ofField(400, "If-Match, If-None-Match", "both", "one of them");
    }
    if (none != null) {
      if (none.strip().equals("*")) {
        return RecordVersion.NONE;
      }
      throw ApiProblem.ofField(400, "If-None-Match", none, "* to create");
    }
    return match == null ? null : version(match.strip());
  }

  private static RecordVersion version(String match) throws ApiProblem {
    Matcher etag = ETAG.matcher(match);
    if (!etag.matches()) {
      throw ApiProblem.ofField(400, "If-Match", match, "one ETag, such as \"17-9f3a21bc\"");
    }
    try {
      if (etag.group(1) == null) {
        return RecordVersion.parse(etag.group(2));
      }
    } catch (IllegalArgumentException other) {
      // an ETag of something else
    }
    throw ApiProblem.ofField(412, "If-Match", match, "an ETag of ours; read what is there first");
  }

  /** Whether the client has this version already: {@code If-None-Match} of a GET. */
  public boolean has(RecordVersion version) {
    return has(Answers.etag(version));
  }

  /** Whether the client has what this ETag, with its quotation marks, names. */
  boolean has(String etag) {
    String none = http.field(HttpHeaderNames.IF_NONE_MATCH);
    if (none == null) {
      return false;
    }
    for (String one : none.split(",")) {
      String text = one.strip();
      if (text.equals("*") || text.equals(etag) || text.equals("W/" + etag)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the caller sees who somebody is, and not a hash of it. */
  public boolean seesIdentities() {
    return Identities.seesAll(caller());
  }

  /** An identity as the caller may see it. */
  public String shown(String identity) {
    return identities.shownTo(caller()).apply(identity);
  }

  /**
   * Charges the caller for further writes, of a request that makes many.
   *
   * @throws ApiProblem 429 if it has made too many.
   */
  public void chargeWrites(int count) throws ApiProblem {
    limits.chargeWrites(caller().name(), count);
  }

  /** The media type of the body, in small letters, without parameters; null for none. */
  String mediaType() {
    String type = http.field(HttpHeaderNames.CONTENT_TYPE);
    return type == null ? null : type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT);
  }
}
