/* ---- What the contexts of a processor and of a device have in common ---- */

/* The last failure: its code, its message, and the numbers of places in the source: where it happened, and the calls that it left. What is
   at which number is known to who made the program; number 0 is nowhere. */
REMORA_EXPORT const char *remora_error_code(const remora_context *c) { return c->failed ? c->code : ""; }
REMORA_EXPORT const char *remora_error_message(const remora_context *c) { return c->failed ? c->message : ""; }
REMORA_EXPORT int32_t remora_error_places(const remora_context *c, const int32_t **places) {
  *places = c->place;
  return c->failed ? c->places : 0;
}

REMORA_EXPORT void remora_array_free(remora_context *c, remora_block *block) { remora_release(&c->thread[0], &block); }

/* ---- The program ---- */
