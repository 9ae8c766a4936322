package dev.weir.bench.accuracy;

import java.util.Locale;

/** Shapes of a picture, in the order of drawing. Looks come from the style sheet, by class. */
final class Svg {
  private final StringBuilder shapes = new StringBuilder();

  /** From its left end at x, on the base line y. */
  void text(double x, double y, String look, String text) {
    anchored(x, y, look, "start", text);
  }

  /** To its right end at x. */
  void textEnding(double x, double y, String look, String text) {
    anchored(x, y, look, "end", text);
  }

  void textCentred(double x, double y, String look, String text) {
    anchored(x, y, look, "middle", text);
  }

  private void anchored(double x, double y, String look, String anchor, String text) {
    add(
        "<text x=\"%s\" y=\"%s\" class=\"%s\" text-anchor=\"%s\">%s</text>",
        number(x), number(y), look, anchor, escaped(text));
  }

  void bar(double x, double y, double width, double height, String look) {
    add(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" class=\"%s\"/>",
        number(x), number(y), number(width), number(height), look);
  }

  void line(double x1, double y1, double x2, double y2, String look) {
    add(
        "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>",
        number(x1), number(y1), number(x2), number(y2), look);
  }

  void dot(double x, double y, double radius, String look) {
    add(
        "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"/>",
        number(x), number(y), number(radius), look);
  }

  private void add(String format, Object... values) {
    shapes.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String number(double value) {
    final double tenths = Math.round(value * 10) / 10.0;
    return tenths == Math.rint(tenths) ? Long.toString((long) tenths) : Double.toString(tenths);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public String toString() {
    return shapes.toString();
  }
}
