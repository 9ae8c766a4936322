package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptFieldTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/html | true",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true",
        "application/json, TEXT/HTML ; level=1 ; q=0.1 | true",
        "text/plain, text/html | true",
        "text/plain;q=0.5, text/html;q=0.501 | true",
        "text/plain, text/html;q=0.9 | false",
        "text/html;q=0 | false",
        "text/html;q=0.000 | false",
        "text/html;q=x | false",
        "text/html;q=1e9 | false",
        "text/htmlx | false",
        "*/* | false",
        "text/* | false",
        "text/plain | false",
        "',;,' | false",
        "'' | false",
      })
  void prefersHtmlWhereItIsNamedAndNoLessWantedThanText(String accept, boolean html) {
    assertEquals(html, AcceptField.prefersHtml(accept));
  }

  @Test
  void prefersTextWithoutAField() {
    assertFalse(AcceptField.prefersHtml(null));
  }
}
