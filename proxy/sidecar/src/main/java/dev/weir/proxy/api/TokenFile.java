package dev.weir.proxy.api;

import dev.weir.proxy.request.CertificateNames;
import dev.weir.proxy.watch.FollowedFile;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import dev.weir.proxy.web.Role;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of who may call the API, one a line: {@code name role sha256 [until]} for a token, and
 * for a certificate the key that reads its name in the place of the hash, {@code tls:cn=ann}. It is
 * followed: who is removed is refused within seconds. Empty lines and comments ({@code #}) do not
 * count. The file has hashes only, so whoever reads it can use no token.
 */
public final class TokenFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);

  private static final FollowedFile.Kind KIND =
      new FollowedFile.Kind(
          LOG, "admin-tokens", "admin", "token", "weir-admin-tokens", SmallFile.MAX_BYTES);

  private static final int MOST_TOKENS = 1_000;
  private static final String EXPECTED_NAME =
      "a name of 1 to 64 letters, digits and _ . @ -, but not local or file";

  private final Reloads reloads = new Reloads();
  private final FollowedFile file;
  private volatile List<ApiToken> tokens = List.of();

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message says why.
   */
  public TokenFile(Path path) throws IOException {
    file = new FollowedFile(path, KIND, reloads, this::use);
  }

  private int use(byte[] content) throws IOException {
    tokens = read(content);
    return tokens.size();
  }

  /** Follows the file from now on. */
  public void start() {
    file.start();
  }

  /** Reads the file now, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    file.reload();
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    file.poll();
  }

  /** How often the file was reloaded, and whether its last content is in use. */
  public Reloads reloads() {
    return reloads;
  }

  /**
   * The token of which somebody shows the text; null if it is not known. How long that takes says
   * nothing of how much of a token was right: all hashes are compared, whole.
   */
  ApiToken find(String text) {
    byte[] hash = sha256(text);
    ApiToken found = null;
    for (ApiToken token : tokens) {
      if (token.sha256() != null && MessageDigest.isEqual(token.sha256(), hash)) {
        found = token;
      }
    }
    return found;
  }

  /**
   * The first line of a name in a certificate that has not ended, or else one that has; null if
   * none is known.
   */
  ApiToken find(CertificateNames names, Instant now) {
    List<String> known = new ArrayList<>();
    add("tls:san=", names.san(), known);
    add("tls:spiffe=", names.spiffe(), known);
    add("tls:cn=", names.cn(), known);
    ApiToken ended = null;
    for (ApiToken token : tokens) {
      if (known.contains(token.certificate())) {
        if (token.holds(now)) {
          return token;
        }
        ended = token;
      }
    }
    return ended;
  }

  private static void add(String key, byte[] name, List<String> to) {
    if (name != null) {
      to.add(key + new String(name, StandardCharsets.UTF_8));
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }

  private static List<ApiToken> read(byte[] content) throws IOException {
    List<ApiToken> tokens = new ArrayList<>();
    Set<String> known = new HashSet<>();
    List<String> lines = lines(content);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        ApiToken token = token(line.split("[ \t]+"));
        boolean isHash = token.sha256() != null;
        if (!known.add(isHash ? HexFormat.of().formatHex(token.sha256()) : token.certificate())) {
          throw new IllegalArgumentException(
              token.name() + " (expected: each sha256 and each certificate once)");
        }
        tokens.add(token);
      } catch (IllegalArgumentException fault) {
        throw new IOException(":" + (i + 1) + ": " + fault.getMessage(), fault);
      }
    }
    if (tokens.isEmpty() || tokens.size() > MOST_TOKENS) {
      throw new IOException(
          ": " + tokens.size() + " tokens (expected: 1 to " + MOST_TOKENS + ", one a line)");
    }
    return List.copyOf(tokens);
  }

  /** A hash may be a token that somebody wrote by mistake: no message contains it. */
  private static ApiToken token(String[] parts) {
    if (parts.length < 3 || parts.length > 4) {
      throw new IllegalArgumentException(
          parts.length + " words (expected: name role sha256, and until when)");
    }
    if (!parts[0].matches("[A-Za-z0-9_.@-]{1,64}")
        || parts[0].equals("local")
        || parts[0].equals("file")) {
      throw new IllegalArgumentException("not a name (expected: " + EXPECTED_NAME + ")");
    }
    boolean isCertificate = parts[2].matches("tls:(san|spiffe|cn)=.+");
    if (!isCertificate && !parts[2].matches("[0-9a-fA-F]{64}")) {
      throw new IllegalArgumentException(
          parts[0]
              + ": not a sha256 (expected: the SHA-256 of the token, 64 hexadecimal digits, or"
              + " tls:san=, tls:spiffe= or tls:cn= and a name in a certificate)");
    }
    return new ApiToken(
        parts[0],
        role(parts),
        isCertificate ? null : HexFormat.of().parseHex(parts[2].toLowerCase(Locale.ROOT)),
        isCertificate ? parts[2] : null,
        parts.length == 3 ? Instant.MAX : until(parts));
  }

  private static Role role(String[] parts) {
    for (Role role : Role.values()) {
      if (role.toString().equals(parts[1])) {
        return role;
      }
    }
    throw new IllegalArgumentException(
        parts[0] + ": no such role (expected: viewer, editor or admin)");
  }

  private static Instant until(String[] parts) {
    try {
      return parts[3].contains("T")
          ? Instant.parse(parts[3])
          : LocalDate.parse(parts[3]).atStartOfDay(ZoneOffset.UTC).toInstant();
    } catch (DateTimeParseException no) {
      throw new IllegalArgumentException(
          parts[0] + ": not a time (expected: 2027-01-31 or 2027-01-31T18:00:00Z)", no);
    }
  }

  private static List<String> lines(byte[] content) throws IOException {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().lines().toList();
    } catch (CharacterCodingException binary) {
      throw new IOException(": not UTF-8");
    }
  }

  /** Follows the file no longer. */
  @Override
  public void close() {
    file.close();
  }
}
