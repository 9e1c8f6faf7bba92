#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

// A library to be loaded before the C library (LD_PRELOAD), which has no functions of its own; see failing-calls.c.

#endif
