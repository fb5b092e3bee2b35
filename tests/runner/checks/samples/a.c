#include <stdio.h>
#include <stdlib.h>
#define MAX 10
#define SQUARE(x) ((x) * (x))
#ifdef DEBUG
#define LOG(...) fprintf(stderr, __VA_ARGS__)
#else
#define LOG(...)
#endif

typedef struct node { struct node *next; int value : 3; union { int a; float b; }; } node_t;
static int (*handler)(const char *, size_t) = NULL;
static const int table[MAX] = { [0] = 1, [2 ... 4] = 3 };
_Static_assert(sizeof(int) == 4, "int");

int main(int argc, char **argv)
{
#if defined(_WIN32) && !defined(FOO)
    if (argc > 1) {
#else
    if (argc > 2) {
#endif
        LOG("a" "b %d\n", SQUARE(argc));
    }
    node_t *n = &(node_t){ .value = 1 };
    do { n->value++; } while (n->value < MAX);
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) goto end;
end:
    switch (argc) { case 1: case 'a': break; default: return EXIT_FAILURE; }
    return 0;
}
