#ifndef A_H
#define A_H
#ifdef __cplusplus
extern "C" {
#endif
struct point { int x, y; };
int add(int a, int b);
#ifdef __cplusplus
}
#endif
#endif
