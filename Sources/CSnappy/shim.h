// The C interface of Snappy, from the headers of the system.
#include <snappy-c.h>
