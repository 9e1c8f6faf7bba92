// The C interface of Snappy, as the system installs it.
#include <snappy-c.h>
