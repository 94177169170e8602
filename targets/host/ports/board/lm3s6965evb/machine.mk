# A Cortex-M3 with 64 KiB of RAM and 256 KiB of flash (TI's LM3S6965, once Luminary's), with newlib.
TOOLS = arm-none-eabi-
PROCESSOR = -mcpu=cortex-m3 -mthumb
SPECS = --specs=nano.specs
MACHINE_FOLDERS = cortex-m
MACHINE_PARTS = startup chip ssi oled ethernet
BEARSSL_PROCESSOR = -DBR_ARMEL_CORTEXM_GCC=1 -DBR_LE_UNALIGNED=1
