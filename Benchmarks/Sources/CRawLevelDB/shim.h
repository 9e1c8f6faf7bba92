// The whole public C interface of LevelDB, as the system installs it.
#include <leveldb/c.h>
