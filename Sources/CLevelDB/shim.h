// The public C interface of LevelDB, from the headers of the system.
#include <leveldb/c.h>
