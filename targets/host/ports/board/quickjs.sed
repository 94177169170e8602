# What the firmware leaves out of QuickJS's source, 2025-04-26 (sed -E). The core is written for any ES5 engine, and of
# an engine's library it calls String.fromCharCode alone. Here stays what ES5 has, apart from most of Math, and of typed
# arrays what reads and writes them. Each function that goes gives back its code in flash and its property on the
# heap. Remove the lines whose functions your application calls.

# There are no threads here.
s/^#define CONFIG_ATOMICS$//

# Objects, arrays, strings and numbers: what came after ES5, needs regular expressions, or makes HTML.
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

# Math: abs, ceil, floor, max, min, random, round and sqrt stay; the C library's part of the others is 22 KiB.
/^ *JS_CFUNC.*, f_f(_f)?, (js_pow|js_math_sign|js_math_fround|trunc|cbrt|a?(cos|sin|tan)h?|atan2) /d
/^ *JS_CFUNC.*, f_f, (exp|expm1|log|log1p|log2|log10) /d
/^ *JS_CFUNC.*, js_math_(hypot|imul|clz32) /d

# Reflect (1 at a line's end says that a function of Object's is Reflect's), BigInt, DataView, copies of buffers.
/^ *JS_CFUNC.*, js_reflect_/d
/^ *JS_CFUNC.*, js_object_(defineProperty|getOwnPropertyDescriptor|getPrototypeOf|isExtensible|preventExtensions), 1 /d
/^ *JS_CFUNC.*, js_bigint_/d
/^ *JS_CFUNC.*, js_dataview_/d
/^ *JS_CFUNC.*, js_array_buffer_(slice|isView)[, ]/d

# Typed arrays.
/^ *JS_CFUNC.*, js_typed_array_(at|with|copyWithin|fill|find|reverse|toReversed|slice|sort|toSorted)[, ]/d
/^ *JS_CFUNC.*, js_typed_array_(join|indexOf|from|of)[, ]/d
/^ *JS_CFUNC.*, special_[A-Za-z]* \| special_TA /d
