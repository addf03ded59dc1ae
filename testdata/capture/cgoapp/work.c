#include "work.h"
#include <math.h>

extern double goVisit(int n);

__attribute__((noinline)) double curve(double x) {
	double sum = 0;
	for (int k = 1; k < 40; k++) sum += sin(x * k) / k;
	return sum;
}

static inline double step(double x) { return curve(x) * 0.5 + curve(x + 0.25) * 0.5; }

__attribute__((noinline)) void integrate(double *out, int n) {
	for (int i = 0; i < n; i++) out[i] = step((double)i / n);
}

// walk recurses, and each level calls back into Go.
__attribute__((noinline)) double walk(int n) {
	if (n == 0) return curve(1);
	return walk(n - 1) + goVisit(n);
}
