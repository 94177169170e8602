# A Cortex-M3 (Arm's MPS2, an385), with newlib. If the processor has a floating-point unit, -mfloat-abi=soft still works,
# and startup.c need not enable the unit.
TOOLS = arm-none-eabi-
PROCESSOR = -mcpu=cortex-m3 -mthumb
SPECS = --specs=nano.specs
MACHINE_FOLDERS = cortex-m
MACHINE_PARTS = startup chip i2c oled ethernet
BEARSSL_PROCESSOR = -DBR_ARMEL_CORTEXM_GCC=1 -DBR_LE_UNALIGNED=1
QUICKJS_LIBRARY = -D__TM_GMTOFF=tm_gmtoff
MACHINE_LIBRARIES = -lm
