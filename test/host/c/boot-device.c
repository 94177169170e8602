/*
 * A device that installs an image or starts from its slots, on files whose calls fail or lose the power.
 * Usage: boot-device DIRECTORY KEY-FILE[,KEY-FILE] PRODUCT ABI COUNTER-MIN FAULT install IMAGE
 *        boot-device ... FAULT start [IMAGE]      IMAGE is installed by another process before the confirmation
 *        boot-device serve      each line of the input has such arguments, with tabs between them, for a process of its
 *                               own; behind its output a line says "exit" and its code. A sweep starts thousands.
 * FAULT: none; cut:N (the power goes at the Nth call that changes a file: what was not synced is cut in half,
 * exit code 99); once:N:ERRNO (the Nth call fails); on:N:ERRNO (it and all behind it); writes:N:ERRNO (of those
 * that change a file, the Nth and all behind it). N counts from 0. Output: the payload of the image that
 * ran (confirmed, unless it says "crash" or "silent") or the result's name; then the number of calls, how
 * many failed, and whether the boot record was said to be unwritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "images.h"

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_flock(int file, int operation);
int __real_open(const char *path, int flags, ...);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_flock(int file, int operation);
int __wrap_open(const char *path, int flags, ...);

static enum { NONE, CUT, ONCE, ON, WRITES } fault;
static long fault_at;
static int fault_errno;
static long calls;
static long failures;
/* A second descriptor of the file that was written last and not synced since; -1: none. */
static int unsynced = -1;

static void lose_power(void) {
  struct stat status;
  if (unsynced >= 0 && (fstat(unsynced, &status) != 0 || ftruncate(unsynced, status.st_size / 2) != 0)) {
    _exit(3);
  }
  _exit(99);
}

/* Whether this call fails; the power may go instead. */
static int fails(int is_write) {
  if (fault == NONE || (!is_write && (fault == CUT || fault == WRITES))) return 0;
  long call = calls++;
  if (fault == CUT && call == fault_at) lose_power();
  if (fault == CUT || (fault == ONCE ? call != fault_at : call < fault_at)) return 0;
  failures++;
  errno = fault_errno;
  return 1;
}

ssize_t __wrap_read(int file, void *bytes, size_t size) {
  return fails(0) ? -1 : __real_read(file, bytes, size);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
  if (fails(1)) return -1;
  if (unsynced < 0) unsynced = dup(file);
  /* In two goes, so that a fault can come between. */
  return __real_write(file, bytes, size > 1 ? size / 2 : size);
}

int __wrap_fsync(int file) {
  if (fails(1)) return -1;
  if (unsynced >= 0) close(unsynced);
  unsynced = -1;
  return __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to) {
  return fails(1) ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char *path) {
  if (access(path, F_OK) != 0) return __real_unlink(path);
  return fails(1) ? -1 : __real_unlink(path);
}

int __wrap_flock(int file, int operation) {
  return fails(0) ? -1 : __real_flock(file, operation);
}

int __wrap_open(const char *path, int flags, ...) {
  va_list rest;
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (fails((flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0)) return -1;
  return __real_open(path, flags, mode);
}

static void read_fault(const char *text) {
  static const char *const names[] = {"none", "cut", "once", "on", "writes"};
  for (int i = NONE; i <= WRITES; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(text, names[i], length) != 0) continue;
    fault = i;
    if (text[length] != ':') return;
    char *rest = NULL;
    fault_at = strtol(text + length + 1, &rest, 10);
    if (*rest == ':') fault_errno = (int)strtol(rest + 1, NULL, 10);
    return;
  }
  _exit(2);
}

/* As another program of the same device does it. */
static int install_elsewhere(char **arguments, char *image) {
  char none[] = "none";
  char install[] = "install";
  char *others[] = {arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                    arguments[5], none,         install,      image,        NULL};
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int quiet = __real_open("/dev/null", O_WRONLY);
    dup2(quiet, STDOUT_FILENO);
    execv("/proc/self/exe", others);
    _exit(2);
  }
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int is_payload(const struct pg_image *image, const char *word) {
  size_t length = strlen(word);
  return image->code_size >= length &&
         memcmp(image->code + image->code_size - length, word, length) == 0;
}

static int device(int count, char **arguments) {
  struct pg_image_target target = {"quickjs", NULL};
  struct pg_images_options options = {.targets = &target, .target_count = 1};
  struct pg_image image = {0};
  const char *what = "";
  int unwritten = 0;
  if (count < 8) return 2;
  options.directory = arguments[1];
  for (char *path = strtok(arguments[2], ","); path; path = strtok(NULL, ",")) {
    options.key_files[options.key_count++] = path;
  }
  /* strtok has cut the list; the child gets its first key only, which signs all that it installs. */
  options.product = arguments[3];
  target.abi = arguments[4];
  options.counter_min = (uint32_t)strtoul(arguments[5], NULL, 10);
  if (pg_images_open(&options, &what) != PG_IMAGE_OK) return 2;
  enum pg_image_result result;
  int is_start = strcmp(arguments[7], "start") == 0;
  if (!is_start && count == 9) {
    read_fault(arguments[6]);
    result = pg_images_install(arguments[8]);
  } else if (is_start) {
    read_fault(arguments[6]);
    result = pg_images_choose(&image, &unwritten);
    if (count == 9 && !install_elsewhere(arguments, arguments[8])) return 2;
    if (result == PG_IMAGE_OK && !is_payload(&image, "crash") && !is_payload(&image, "silent")) {
      (void)pg_images_confirm();
    }
  } else {
    return 2;
  }
  fault = NONE;
  if (image.code) printf("%.*s\n", (int)image.code_size, (const char *)image.code);
  else puts(pg_image_result_name(result));
  printf("%ld calls, %ld failed%s\n", calls, failures, unwritten ? ", unwritten" : "");
  return 0;
}

static int serve(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    static char name[] = "boot-device";
    char *arguments[12] = {name};
    int count = 1;
    line[strcspn(line, "\n")] = 0;
    for (char *word = strtok(line, "\t"); word && count < 11; word = strtok(NULL, "\t")) arguments[count++] = word;
    int status = 0;
    pid_t child = fork();
    if (child == 0) exit(device(count, arguments));
    if (child < 0 || waitpid(child, &status, 0) != child) return 3;
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "serve") == 0) return serve();
  return device(count, arguments);
}
