package dev.weir.bench.decision;

import dev.weir.bench.scenario.Body;
import dev.weir.proxy.decision.proto.ProtoWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A call, about the key that asks. */
enum Ask {
  CHECK("CheckRateLimit", "/weir.v1.RateLimiter/CheckRateLimit", 1) {
    @Override
    void write(ProtoWriter message, String key) {
      check(message, key);
    }
  },

  /** Several checks, each of an identity of its own. */
  CHECKS("CheckRateLimits", "/weir.v1.RateLimiter/CheckRateLimits", 32) {
    @Override
    void write(ProtoWriter message, String key) {
      for (int i = 0; i < decisions; i++) {
        final int begun = message.beginMessage(CHECKS_FIELD);
        check(message, key + "/" + i);
        message.endMessage(begun);
      }
    }
  },

  /** Envoy's: one descriptor of an entry, and one of two. */
  DESCRIPTORS(
      "ShouldRateLimit", "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", 2) {
    @Override
    void write(ProtoWriter message, String key) {
      message.text(DOMAIN, "shop");
      descriptor(message, USER, key);
      descriptor(message, "path", "/orders", USER, key);
    }
  };

  private static final int CHECKS_FIELD = 1;

  // Of CheckRateLimitRequest.
  private static final int IDENTIFIER = 1;
  private static final int DIMENSION = 2;
  private static final int ENDPOINT = 5;
  private static final int METHOD = 6;
  private static final int REQUIRE_RULE = 11;
  private static final int DIMENSION_USER = 1;

  // Of RateLimitRequest, its descriptors, and their entries.
  private static final int DOMAIN = 1;
  private static final int DESCRIPTOR = 2;
  private static final int ENTRY = 1;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final String USER = "user";

  private final String text;
  final String path;
  final int decisions;

  Ask(String text, String path, int decisions) {
    this.text = text;
    this.path = path;
    this.decisions = decisions;
  }

  abstract void write(ProtoWriter message, String key);

  private static void check(ProtoWriter message, String key) {
    message
        .text(IDENTIFIER, key)
        .varint(DIMENSION, DIMENSION_USER)
        .text(ENDPOINT, "/orders/17")
        .text(METHOD, "POST")
        .bool(REQUIRE_RULE, true);
  }

  private static void descriptor(ProtoWriter message, String... entries) {
    final int descriptor = message.beginMessage(DESCRIPTOR);
    for (int i = 0; i < entries.length; i += 2) {
      final int entry = message.beginMessage(ENTRY);
      message.text(KEY, entries[i]).text(VALUE, entries[i + 1]);
      message.endMessage(entry);
    }
    message.endMessage(descriptor);
  }

  /** The messages, one per key. */
  Body body() {
    return new Message();
  }

  @Override
  public String toString() {
    return text;
  }

  private final class Message implements Body {
    private final ProtoWriter writer = new ProtoWriter(0);

    @Override
    public boolean takesKey() {
      return true;
    }

    @Override
    public byte[] bytes(String key) {
      // A key is bytes, as characters of those numbers.
      write(
          writer.begin(),
          new String(key.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
      return Arrays.copyOf(writer.array(), writer.end());
    }
  }
}
