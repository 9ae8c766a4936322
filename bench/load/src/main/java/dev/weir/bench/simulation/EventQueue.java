package dev.weir.bench.simulation;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Questions in the order of what is due next of them. Of those that are due at once, the order is
 * any, but the same in each run. Makes questions, and has them used again.
 */
final class EventQueue {
  static final long NEVER = Long.MAX_VALUE;

  private final ArrayDeque<Question> free = new ArrayDeque<>();
  private final PriorityQueue<Question> due =
      new PriorityQueue<>(1024, Comparator.comparingLong((Question question) -> question.stepNs));

  /** A question of which nothing is due; its fields are what they were. */
  Question take() {
    final Question question = free.poll();
    return question == null ? new Question() : question;
  }

  /** Nothing will be due of a question any more. */
  void leave(Question question) {
    free.push(question);
  }

  void add(long atNs, Question.Step step, Question question) {
    question.step = step;
    question.stepNs = atNs;
    due.add(question);
  }

  long firstNs() {
    return due.isEmpty() ? NEVER : due.peek().stepNs;
  }

  /** Takes out the question of the first event; there is one. */
  Question poll() {
    return due.remove();
  }
}
