package dev.weir.proxy.control;

/** What a value of a settings file is, as YAML's core schema tells it. */
enum ValueType {
  TEXT("a text"),
  WHOLE_NUMBER("a whole number"),
  NUMBER("a number"),
  SWITCH("true or false"),
  LIST("a list"),
  SECTION("a section of keys"),
  NOTHING("nothing");

  private final String words;

  ValueType(String words) {
    this.words = words;
  }

  /** As faults name it. */
  @Override
  public String toString() {
    return words;
  }
}
