package dev.weir.proxy.control;

/** The type of a value in a settings file, by YAML's core schema. */
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

  /** The name of the type in faults. */
  @Override
  public String toString() {
    return words;
  }
}
