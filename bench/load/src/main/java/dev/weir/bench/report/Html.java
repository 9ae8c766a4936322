package dev.weir.bench.report;

import java.io.IOException;
import java.io.Writer;

/** Writes a page: markup as it is, text so that it stays text. */
final class Html {
  private final Writer out;

  Html(Writer out) {
    this.out = out;
  }

  Html raw(String markup) throws IOException {
    out.write(markup);
    return this;
  }

  /** In an element or in an attribute between double quotes. */
  Html text(String text) throws IOException {
    for (int i = 0; i < text.length(); i++) {
      final char c = text.charAt(i);
      switch (c) {
        case '&' -> out.write("&amp;");
        case '<' -> out.write("&lt;");
        case '>' -> out.write("&gt;");
        case '"' -> out.write("&quot;");
        case '\'' -> out.write("&#39;");
        default -> out.write(c);
      }
    }
    return this;
  }

  /** An element of a name with nothing but text in it. */
  Html element(String name, String text) throws IOException {
    return raw("<" + name + ">").text(text).raw("</" + name + ">");
  }

  Html cell(String text) throws IOException {
    return element("td", text);
  }

  /** The head of a row of a table. */
  Html rowHead(String text) throws IOException {
    return raw("<th scope=\"row\">").text(text).raw("</th>");
  }

  Html columnHead(String text) throws IOException {
    return raw("<th scope=\"col\">").text(text).raw("</th>");
  }

  /** Opens a table in a box of its own, which alone is moved where the window is narrow. */
  Html openTable(String label, String kind) throws IOException {
    raw("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"").text(label);
    return raw("\">\n<table class=\"" + kind + "\">\n");
  }

  Html closeTable() throws IOException {
    return raw("</table>\n</div>\n");
  }
}
