/*
 * pass SERVER [ARG]...: the trivial relay, the floor that the proxy is measured against. It starts
 * the server on two pipes and only polls, reads and writes, 64 KiB at a time. Its writes block, so
 * it stands still when both directions fill up at once, which the benchmark's traffic never does.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static char buf[2][65536];

static int write_all(int fd, const char *p, ssize_t len)
{
    ssize_t n = 0;

    for (; len > 0 && n >= 0; p += n, len -= n)
        n = write(fd, p, (size_t)len);
    return n < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    int to_server[2], from_server[2], status;
    pid_t pid;

    if (argc < 2 || pipe2(to_server, O_CLOEXEC) || pipe2(from_server, O_CLOEXEC))
        return 125;
    pid = fork();
    if (pid == 0) {
        dup2(to_server[0], STDIN_FILENO);
        dup2(from_server[1], STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    close(to_server[0]);
    close(from_server[1]);

    struct pollfd from[2] = {{STDIN_FILENO, POLLIN, 0}, {from_server[0], POLLIN, 0}};
    int to[2] = {to_server[1], STDOUT_FILENO};

    while (from[1].fd >= 0 && poll(from, 2, -1) > 0) {
        for (int i = 0; i < 2; i++) {
            if (from[i].fd < 0 || from[i].revents == 0)
                continue;
            ssize_t n = read(from[i].fd, buf[i], sizeof buf[i]);
            if (n > 0 && write_all(to[i], buf[i], n) == 0)
                continue;
            close(to[i]);
            from[i].fd = -1;
        }
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
