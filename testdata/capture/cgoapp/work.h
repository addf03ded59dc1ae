#include <stdint.h>

void integrate(double *out, int n);
double walk(int n);

void c_traceback(void *arg);
void c_symbolizer(void *arg);
