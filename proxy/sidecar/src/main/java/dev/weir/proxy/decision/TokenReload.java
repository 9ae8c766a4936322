package dev.weir.proxy.decision;

import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SettledContent;
import dev.weir.proxy.watch.WatchThread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens, and follows it while it is in use: a token that is taken out of it is
 * none within seconds. While the file has faults, or is gone, the tokens stay that were good last.
 */
public final class TokenReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenReload.class);
  private static final long POLL_INTERVAL_NS = 1_000_000_000;

  private final TokenFile file;
  private final Tokens tokens;
  private final SettledContent<byte[]> content;
  private final Reloads reloads = new Reloads();
  private final WatchThread thread =
      new WatchThread("weir-tokens", POLL_INTERVAL_NS, this::poll, "decision: tokens not reloaded");

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message says why, and never what it holds.
   */
  public TokenReload(DecisionSettings settings) throws IOException {
    if (settings.tokens() == null) {
      file = null;
      content = null;
      tokens = Tokens.NONE;
      return;
    }
    file = new TokenFile(settings.tokens());
    byte[] read = file.content();
    content = new SettledContent<>(Arrays::equals, read, read);
    tokens = new Tokens(file.tokens(read), settings.tokensForAll());
  }

  /** The tokens, always those that are in use. */
  public Tokens tokens() {
    return tokens;
  }

  /** Whether there is a file. */
  public boolean hasFile() {
    return file != null;
  }

  /** Follows the file from now on. */
  public void start() {
    if (hasFile()) {
      thread.start();
    }
  }

  /** Looks at the file once; reads it again if it holds the same new content as the last time. */
  synchronized void poll() {
    try {
      byte[] read = file.content();
      if (content.isNew(read)) {
        take(read);
      }
    } catch (IOException unreadable) {
      if (content.isNew(reason(unreadable))) {
        fail(unreadable);
      }
    }
  }

  /** Reads the file now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    if (!hasFile()) {
      return;
    }
    try {
      byte[] read = file.content();
      content.know(read);
      take(read);
    } catch (IOException unreadable) {
      content.know(reason(unreadable));
      fail(unreadable);
    }
  }

  /** Why there is no content, in the place of one: another reason is told anew. */
  private static byte[] reason(IOException unreadable) {
    return unreadable.getMessage().getBytes(StandardCharsets.UTF_8);
  }

  private void take(byte[] read) {
    try {
      List<String> now = file.tokens(read);
      tokens.replace(now);
      String count = now.size() == 1 ? "1 token" : now.size() + " tokens";
      LOG.info("decision: {} from {}{}", count, file.path(), reloads.taken());
    } catch (IOException faulty) {
      fail(faulty);
    }
  }

  private void fail(IOException fault) {
    reloads.rejected();
    LOG.error("decision: tokens not reloaded, the last good ones stay: {}", fault.getMessage());
  }

  /** How often the file was read again, and whether it is in use. */
  public Reloads reloads() {
    return reloads;
  }

  /** Stops following. */
  @Override
  public void close() {
    thread.close();
  }
}
