package dev.weir.bench.simulation;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Questions in the order of what is due next of them: a binary heap. Of those that are due at once,
 * the order is any, but the same in each run. Makes questions, and has them used again.
 */
final class EventQueue {
  /** No event is due. */
  static final long NEVER = Long.MAX_VALUE;

  private final ArrayDeque<Question> free = new ArrayDeque<>();
  private long[] timesNs = new long[1024];
  private Question[] questions = new Question[1024];
  private int size;

  /** A question of which nothing is due; its fields are what they were. */
  Question take() {
    Question question = free.poll();
    return question == null ? new Question() : question;
  }

  /** Nothing will be due of a question any more. */
  void leave(Question question) {
    free.push(question);
  }

  void add(long atNs, Question.Step step, Question question) {
    if (size == timesNs.length) {
      timesNs = Arrays.copyOf(timesNs, 2 * size);
      questions = Arrays.copyOf(questions, 2 * size);
    }
    question.step = step;
    int at = size++;
    while (at > 0 && timesNs[(at - 1) / 2] > atNs) {
      move((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    timesNs[at] = atNs;
    questions[at] = question;
  }

  /** When the first event is due. */
  long firstNs() {
    return size == 0 ? NEVER : timesNs[0];
  }

  /** Takes out the question of the first event; there is one. */
  Question poll() {
    Question first = questions[0];
    long lastNs = timesNs[--size];
    Question last = questions[size];
    questions[size] = null;
    int at = 0;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && timesNs[child + 1] < timesNs[child]) {
        child++;
      }
      if (timesNs[child] >= lastNs) {
        break;
      }
      move(child, at);
      at = child;
    }
    if (size > 0) {
      timesNs[at] = lastNs;
      questions[at] = last;
    }
    return first;
  }

  private void move(int from, int to) {
    timesNs[to] = timesNs[from];
    questions[to] = questions[from];
  }
}
