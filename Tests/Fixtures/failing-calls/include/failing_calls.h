#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

// A library that is loaded before the C library (LD_PRELOAD) and declares no functions; see failing-calls.c.

#endif
