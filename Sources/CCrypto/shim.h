// The message digests of OpenSSL's libcrypto, from the headers of the system.
#include <openssl/evp.h>
