package profile

// Legacy profilers are themselves on the stacks that they take. Readers of legacy formats
// give a profile these regular expressions for the frames to drop and to keep. All tools
// use the same ones, so that profiles converted by different tools can be merged and
// compared.
const (
	// legacyAllocators are the functions that allocate, in C, C++ and Go.
	legacyAllocators = `calloc|cfree|malloc|free|memalign|do_memalign|(__)?posix_memalign|pvalloc|valloc|realloc|` +
		`tcmalloc::.*|tc_calloc|tc_cfree|tc_malloc|tc_free|tc_memalign|tc_posix_memalign|tc_pvalloc|tc_valloc|` +
		`tc_realloc|tc_new|tc_delete|tc_newarray|tc_deletearray|tc_new_nothrow|tc_newarray_nothrow|` +
		`malloc_zone_malloc|malloc_zone_calloc|malloc_zone_valloc|malloc_zone_realloc|malloc_zone_memalign|malloc_zone_free|` +
		`runtime\..*|` +
		`BaseArena::.*|(::)?do_malloc_no_errno|(::)?do_malloc_pages|(::)?do_malloc|DoSampledAllocation|` +
		`MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?delete|__builtin_(vec_)?new|` +
		`__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate|allocate|cpp_alloc|` +
		`operator new(\[\])?|simple_alloc::allocate`

	// legacyKeep are functions of Go's runtime with callers in the program.
	legacyKeep = `runtime\.panic|runtime\.reflectcall|runtime\.call[0-9]*`

	// legacySignals are the handlers that a CPU profile's signal runs.
	legacySignals = `ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|__restore`

	// legacyLocks are the functions that release locks and record how long they were held.
	legacyLocks = `RecordLockProfileData|(base::)?RecordLockProfileData.*|(base::)?SubmitMutexProfileData.*|` +
		`(base::)?SubmitSpinLockProfileData.*|(base::Mutex::)?AwaitCommon.*|(base::Mutex::)?Unlock.*|` +
		`(base::Mutex::)?UnlockSlow.*|(base::Mutex::)?ReaderUnlock.*|(base::MutexLock::)?~MutexLock.*|` +
		`(Mutex::)?AwaitCommon.*|(Mutex::)?Unlock.*|(Mutex::)?UnlockSlow.*|(Mutex::)?ReaderUnlock.*|(MutexLock::)?~MutexLock.*|` +
		`(SpinLock::)?Unlock.*|(SpinLock::)?SlowUnlock.*|(SpinLockHolder::)?~SpinLockHolder.*`
)
