// Two hash functions of OpenSSL's libcrypto, from the headers of the system. OpenSSL 3 deprecates the functions for
// single algorithms in favor of those that look an algorithm up by its name.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>
