/*
 * One connection of the emulated board, carried to a port of this machine's own: standard input and output on
 * one side, 127.0.0.1 on the other. The emulator starts it for each connection, and it ends with it.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Carries what there is from one side to the other. 0: this side has ended. */
static int carry(int from, int to) {
  char bytes[4096];
  ssize_t size = read(from, bytes, sizeof bytes);
  for (ssize_t at = 0; at < size;) {
    ssize_t done = write(to, bytes + at, (size_t)(size - at));
    if (done <= 0) exit(1);
    at += done;
  }
  return size > 0;
}

int main(int count, char **arguments) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  if (count != 2) return 2;
  address.sin_port = htons((uint16_t)atoi(arguments[1]));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  struct pollfd sides[2] = {{STDIN_FILENO, POLLIN, 0}, {server, POLLIN, 0}};
  /* The board may end its side first, and still wait for the answer; without the server there is none. */
  while (sides[1].fd >= 0 && poll(sides, 2, -1) > 0) {
    if (sides[0].fd >= 0 && sides[0].revents && !carry(STDIN_FILENO, server)) {
      shutdown(server, SHUT_WR);
      sides[0].fd = -1;
    }
    if (sides[1].revents && !carry(server, STDOUT_FILENO)) sides[1].fd = -1;
  }
  return 0;
}
