// Runs a script on Moddable's XS with `print`, and `counter`, whose element 0 is the number of slots and chunks that
// the engine has allocated so far. XS takes its heap from the system in one piece, so a hook of malloc cannot count
// them. Instead, the linker redirects the functions that allocate slots and chunks to this file (--wrap=fxNewSlot ...).

#include "xsAll.h"
#include "xsScript.h"

#include <stdio.h>

static int taken;

void *__real_fxNewChunk(txMachine *the, txSize size);
void *__real_fxNewGrowableChunk(txMachine *the, txSize size, txSize capacity);
void *__real_fxRenewChunk(txMachine *the, void *chunk, txSize size);
txSlot *__real_fxNewSlot(txMachine *the);

void *__wrap_fxNewChunk(txMachine *the, txSize size) {
  taken++;
  return __real_fxNewChunk(the, size);
}

void *__wrap_fxNewGrowableChunk(txMachine *the, txSize size, txSize capacity) {
  taken++;
  return __real_fxNewGrowableChunk(the, size, capacity);
}

void *__wrap_fxRenewChunk(txMachine *the, void *chunk, txSize size) {
  taken++;
  return __real_fxRenewChunk(the, chunk, size);
}

txSlot *__wrap_fxNewSlot(txMachine *the) {
  taken++;
  return __real_fxNewSlot(the);
}

static void print(txMachine *the) { puts(fxToString(the, mxArgv(0))); }

static void read_taken(txMachine *the) {
  mxResult->kind = XS_INTEGER_KIND;
  mxResult->value.integer = taken;
}

static void define(txMachine *the, txString name, txCallback callback) {
  txID id = fxNewNameC(the, name);
  fxNewHostFunction(the, callback, 0, id, XS_NO_ID);
  mxPush(mxGlobal);
  fxDefineID(the, id, XS_DONT_ENUM_FLAG, XS_DONT_ENUM_FLAG);
  mxPop();
}

static void run(txMachine *the, void *stream, txGetter getter) {
  txSlot *realm = mxProgram.value.reference->next->value.module.realm;
  txScript *script = fxParseScript(the, stream, getter, mxProgramFlag);
  txSlot *closures = mxRealmClosures(realm)->value.reference;
  txSlot *module = mxProgram.value.reference;
  fxRunScript(the, script, mxRealmGlobal(realm), C_NULL, closures, C_NULL, module);
  mxPop();
}

static void define_globals(txMachine *the) {
  static char counter[] = "var counter = { get 0() { return xsTaken(); } };";
  txStringCStream stream = {counter, 0, (txSize)sizeof counter - 1};
  define(the, "print", print);
  define(the, "xsTaken", read_taken);
  run(the, &stream, fxStringCGetter);
}

/* Returns 1 if the script failed. */
static int run_file(txMachine *the, const char *path) {
  FILE *file = fopen(path, "rb");
  int failed = 0;
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path);
    return 1;
  }
  mxTry(the) { run(the, file, (txGetter)fgetc); }
  mxCatch(the) {
    fprintf(stderr, "%s\n", fxToString(the, &mxException));
    failed = 1;
  }
  fclose(file);
  return failed;
}

int main(int count, char **arguments) {
  /* The sizes of chunks, slots, the stack, keys, names, symbols, and the parser's buffer and names. */
  txCreation creation = {1 << 20, 1 << 16, 1 << 15, 1 << 12, 4096, 32000,
                         8000,    1993,    127,     1 << 20, 1993};
  if (count != 2) {
    fputs("usage: xs-host SCRIPT\n", stderr);
    return 2;
  }
  fxInitializeSharedCluster();
  txMachine *the = fxCreateMachine(&creation, "xs-host", NULL, XS_NO_ID);
  fxBeginHost(the);
  define_globals(the);
  int failed = run_file(the, arguments[1]);
  fxEndHost(the);
  fxDeleteMachine(the);
  fxTerminateSharedCluster();
  return failed;
}
