// Snowball's stemmers (libstemmer), as the system installs them.
#include <libstemmer.h>
