#define _GNU_SOURCE
#include "work.h"
#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

// The layouts that runtime.SetCgoTraceback documents.
struct traceback_arg {
	uintptr_t context, sig_context;
	uintptr_t *buf;
	uintptr_t max;
};

struct symbolizer_arg {
	uintptr_t pc;
	const char *file;
	uintptr_t lineno;
	const char *func;
	uintptr_t entry, more, data;
};

// A C stack here has its frames within this many bytes of each other.
enum { frame_limit = 1 << 16 };

// c_traceback follows frame pointers. Stacks cross from C into Go where the
// saved frame pointer leaves the thread's C stack, and end there.
void c_traceback(void *p) {
	struct traceback_arg *arg = p;
	uintptr_t n = 0, *fp;
	if (arg->max == 0) return;
	if (arg->sig_context != 0) {
#if defined(__x86_64__)
		const ucontext_t *uc = (const ucontext_t *)arg->sig_context;
		arg->buf[n++] = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
		fp = (uintptr_t *)uc->uc_mcontext.gregs[REG_RBP];
		uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
		if ((uintptr_t)fp < sp || (uintptr_t)fp - sp > frame_limit) fp = 0;
#else
		fp = 0;
#endif
	} else {
		fp = __builtin_frame_address(0);
	}
	while (fp != 0 && ((uintptr_t)fp & 7) == 0 && n < arg->max) {
		Dl_info info;
		uintptr_t pc = fp[1], *up = (uintptr_t *)fp[0];
		if (pc < 4096 || !dladdr((void *)pc, &info)) break;
		arg->buf[n++] = pc;
		if (up <= fp || (uintptr_t)up - (uintptr_t)fp > frame_limit) break;
		fp = up;
	}
	if (n < arg->max) arg->buf[n] = 0;
}

void c_symbolizer(void *p) {
	struct symbolizer_arg *arg = p;
	Dl_info info;
	arg->more = 0;
	arg->file = "";
	arg->lineno = 0;
	arg->func = "";
	arg->entry = 0;
	if (arg->pc == 0 || !dladdr((void *)arg->pc, &info)) return;
	if (info.dli_fname) arg->file = info.dli_fname;
	if (info.dli_sname) {
		arg->func = info.dli_sname;
		arg->entry = (uintptr_t)info.dli_saddr;
	}
}
