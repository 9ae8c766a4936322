package dev.weir.bench.load;

/**
 * A field of requests over HTTP/2, in the parts that HPACK (RFC 7541) sends of it. One object per
 * name and value, so that a {@link FieldTable} knows it again.
 *
 * @param name one object per name too.
 * @param indexed how the static table names the whole field; null if it does not.
 * @param value as a string literal.
 */
record FieldLine(Name name, byte[] indexed, byte[] value, int tableBytes, int hash) {
  /**
   * A field's name.
   *
   * @param staticIndex of a field with that name; 0 if there is none.
   * @param literal as a string literal.
   */
  record Name(String text, int staticIndex, byte[] literal) {}

  // Those that are one are the same object.
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
