/*
 * The service behind the proxies that are measured: answers every request with 200 and a body of 100 bytes, keeps
 * connections open, takes pipelined requests. One thread, one epoll. It knows no bodies of requests: an empty line
 * ends a request.
 *
 *     upstream PORT      listens on 127.0.0.1
 *
 * Ends with the process that started it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FD = 4096, MAX_EVENTS = 256, READ_BYTES = 16384, BODY_BYTES = 100, MAX_PIPELINED = 64 };

/* How much of CR LF CR LF a connection has seen, by file descriptor. */
static unsigned char seen[MAX_FD];

static char answers[MAX_PIPELINED * 256];
static size_t answer_bytes;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void prepare_answers(void) {
  char body[BODY_BYTES + 1];
  memset(body, 'x', BODY_BYTES);
  body[BODY_BYTES] = 0;
  char one[256];
  answer_bytes = (size_t)snprintf(
      one, sizeof one, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", BODY_BYTES, body);
  for (int i = 0; i < MAX_PIPELINED; i++) {
    memcpy(answers + (size_t)i * answer_bytes, one, answer_bytes);
  }
}

/* Counts the requests that end within the bytes read. */
static int ends(int fd, const char *bytes, ssize_t length) {
  int count = 0;
  unsigned state = seen[fd];
  for (ssize_t i = 0; i < length; i++) {
    char c = bytes[i];
    if (c == '\r') {
      state = state == 2 ? 3 : 1;
    } else if (c == '\n' && (state == 1 || state == 3)) {
      state++;
      if (state == 4) {
        count++;
        state = 0;
      }
    } else {
      state = 0;
    }
  }
  seen[fd] = (unsigned char)state;
  return count;
}

/* An answer that the socket does not take at once ends the connection: a client that reads never sees that. */
static int answer(int fd, int count) {
  while (count > 0) {
    int some = count < MAX_PIPELINED ? count : MAX_PIPELINED;
    size_t bytes = (size_t)some * answer_bytes;
    if (send(fd, answers, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) {
      return 0;
    }
    count -= some;
  }
  return 1;
}

static void accept_all(int epoll, int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) {
      return;
    }
    if (fd >= MAX_FD) {
      close(fd);
      continue;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    seen[fd] = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
      close(fd);
    }
  }
}

static void serve(int fd) {
  char bytes[READ_BYTES];
  ssize_t length = recv(fd, bytes, sizeof bytes, 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (length <= 0 || !answer(fd, ends(fd, bytes, length))) {
    close(fd);
  }
}

int main(int count, char **arguments) {
  int port = count == 2 ? atoi(arguments[1]) : 0;
  if (port < 1 || port > 65535) {
    fprintf(stderr, "usage: upstream PORT\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prepare_answers();
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1024) < 0) {
    fail("upstream");
  }
  int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) {
    fail("epoll");
  }
  struct epoll_event events[MAX_EVENTS];
  for (;;) {
    int ready = epoll_wait(epoll, events, MAX_EVENTS, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == listener) {
        accept_all(epoll, listener);
      } else {
        serve(events[i].data.fd);
      }
    }
  }
}
