// The TurboJPEG interface of libjpeg-turbo, from the headers of the system.
#include <turbojpeg.h>
