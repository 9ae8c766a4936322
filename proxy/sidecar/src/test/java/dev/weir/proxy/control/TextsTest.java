package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.rule.spec.BadValueException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextsTest {
  @ParameterizedTest
  @CsvSource({"0%, 0", "0.0%, 0", "0.1%, 1", "5%, 50", "12.5%, 125", "100%, 1000", "100.0%, 1000"})
  void readsPercentages(String text, int permille) {
    assertEquals(permille, Texts.parsePermille(text, 0, 1_000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "%", "5", ".5%", "5.%", "5.25%", "-5%", "1000%", "5 %", "1e1%"})
  void refusesOtherTexts(String text) {
    assertThrows(BadValueException.class, () -> Texts.parsePermille(text, 0, 1_000));
  }

  @Test
  void refusesPercentagesBeyondTheBounds() {
    assertThrows(BadValueException.class, () -> Texts.parsePermille("100.1%", 0, 1_000));
    assertThrows(BadValueException.class, () -> Texts.parsePermille("19.9%", 200, 990));
  }
}
