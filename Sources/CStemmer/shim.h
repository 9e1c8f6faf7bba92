// Snowball stemmers (libstemmer), from the headers of the system.
#include <libstemmer.h>
