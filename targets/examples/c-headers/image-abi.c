/* Which images this program runs (image-abi.h). */
#include "image-abi.h"

#include <stdio.h>

int main(void) { return puts(PG_IMAGE_ENGINE " " PG_IMAGE_ABI) < 0 || pg_core_code_size == 0; }
