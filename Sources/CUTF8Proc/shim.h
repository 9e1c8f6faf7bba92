// Unicode's normalization forms and case folding (utf8proc), from the headers of the system.
#include <utf8proc.h>
