# 32-bit RISC-V (qemu's virt), with picolibc. The program runs where it lies in NOR flash.
TOOLS = riscv64-unknown-elf-
PROCESSOR = -march=rv32imac -mabi=ilp32 -mcmodel=medany
SPECS = --specs=picolibc.specs
MACHINE_PARTS = startup uart sleep rtc entropy no-oled records ethernet virtio cfi libc
LOADER_MACHINE_PARTS = loader-start flash cfi uart sleep
BEARSSL_PROCESSOR = -DBR_LE_UNALIGNED=0
QUICKJS_LIBRARY = -D__TM_GMTOFF=tm_gmtoff
MACHINE_LIBRARIES = -lm
