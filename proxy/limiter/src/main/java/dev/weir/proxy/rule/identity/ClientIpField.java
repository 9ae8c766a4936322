package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.FieldName;

/** The field in which trusted proxies name the client. */
public enum ClientIpField {
  X_FORWARDED_FOR("x-forwarded-for"),
  /** RFC 7239. */
  FORWARDED("forwarded");

  private final FieldName field;

  ClientIpField(String field) {
    this.field = FieldName.of(field);
  }

  FieldName field() {
    return field;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return field.toString();
  }
}
