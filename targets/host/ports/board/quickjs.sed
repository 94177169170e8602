# Removes functions that the firmware does not need from QuickJS's source, 2025-04-26 (sed -E). The core runs on any ES5
# engine. It calls two functions of the engine's library: `charCodeAt` of strings and `push` of arrays. Functions of ES5
# stay, except most of Math and those with regular expressions. Reads and writes of typed arrays stay, too. Removing a
# function saves its code in flash and its property on the heap.
# If your application calls a function, delete its line here.

# The firmware has no threads.
s/^#define CONFIG_ATOMICS$//

# Objects, arrays, strings and numbers: functions newer than ES5, with regular expressions, or for HTML.
/^ *JS_CFUNC.*, js_object_(groupBy|getOwnPropertySymbols|getOwnPropertyDescriptors|is|assign|fromEntries|hasOwn)[, ]/d
/^ *JS_CFUNC.*, js_object_(setPrototypeOf|__getClass|__defineGetter__|__lookupGetter__)[, ]/d
/^ *JS_CFUNC.*"(values|entries)", 1, js_object_keys,/d
/^ *JS_CFUNC.*, js_array_(from|of|at|with|fill|find|includes|toReversed|toSorted|toSpliced|copyWithin|flatten)[, ]/d
/^ *JS_CFUNC.*, js_string_(fromCodePoint|raw|codePointAt|isWellFormed|toWellFormed|repeat|pad|__quote)[, ]/d
/^ *JS_CFUNC.*, js_string_(includes|match|CreateHTML),/d
/^ *JS_CFUNC.*"at", 1, js_string_charAt,/d
/^ *JS_CFUNC.*"(replaceAll|trimEnd|trimStart)",/d
/^ *JS_ALIAS_DEF\("trim/d
/^ *JS_CFUNC.*, js_number_is/d
/^ *JS_CFUNC.*, js_symbol_(for|keyFor)[, ]/d

# Math: abs, ceil, floor, max, min, random, round and sqrt stay. The others need 22 KiB of the C library.
/^ *JS_CFUNC.*, f_f(_f)?, (js_pow|js_math_sign|js_math_fround|trunc|cbrt|a?(cos|sin|tan)h?|atan2) /d
/^ *JS_CFUNC.*, f_f, (exp|expm1|log|log1p|log2|log10) /d
/^ *JS_CFUNC.*, js_math_(hypot|imul|clz32) /d

# Reflect (where Object and Reflect share a C function, the argument 1 stands for Reflect), BigInt, DataView, copies of
# buffers.
/^ *JS_CFUNC.*, js_reflect_/d
/^ *JS_CFUNC.*, js_object_(defineProperty|getOwnPropertyDescriptor|getPrototypeOf|isExtensible|preventExtensions), 1 /d
/^ *JS_CFUNC.*, js_bigint_/d
/^ *JS_CFUNC.*, js_dataview_/d
/^ *JS_CFUNC.*, js_array_buffer_(slice|isView)[, ]/d

# Typed arrays.
/^ *JS_CFUNC.*, js_typed_array_(at|with|copyWithin|fill|find|reverse|toReversed|slice|sort|toSorted)[, ]/d
/^ *JS_CFUNC.*, js_typed_array_(join|indexOf|from|of)[, ]/d
/^ *JS_CFUNC.*, special_[A-Za-z]* \| special_TA /d
