#include "CFireLitePrefetch.h"
