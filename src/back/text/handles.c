
/* ---- Values of sum types ---- */

/* What a value consists of: its tag, and the slots of its payloads. */
typedef struct {
  int32_t size, rank; /* the bytes of an element, and the number of dimensions */
  int32_t words;      /* of a scalar: those of a complex number are its parts */
} remora_part_form;
typedef struct {
  int32_t parts, rank; /* the tag included; the dimensions of an array of values, which all parts have in front of theirs */
  const remora_part_form *part;
} remora_sum_form;

typedef struct {
  uint64_t bits[2];    /* of a scalar */
  void *data;          /* of an array */
  remora_block *owner; /* of data that a function returned; else it was allocated here */
  int64_t *shape;
  bool known; /* whether there is an array: where no payload has one, it is zero, and of any size */
} remora_part;
typedef struct {
  const remora_sum_form *form;
  remora_part part[];
} remora_sum;

/* Scalars into their words and out of them. */
static void remora_sum_words(remora_part_form form, uint64_t *bits, const void *data) {
  const size_t each = (size_t)(form.size / form.words);
  for (int k = 0; k < form.words; k++) {
    memcpy(&bits[k], (const char *)data + each * (size_t)k, each);
  }
}
static void remora_sum_scalar(remora_part_form form, void *data, const uint64_t *bits) {
  const size_t each = (size_t)(form.size / form.words);
  for (int k = 0; k < form.words; k++) {
    memcpy((char *)data + each * (size_t)k, &bits[k], each);
  }
}

static int remora_sum_refuse(remora_context *context, const char *code, const char *message) {
  remora_fresh(context);
  return remora_fail(&context->thread[0], code, 0, "%s", message);
}
static int remora_sum_memory(remora_context *context) { return remora_sum_refuse(context, "E0507", "out of memory for a value"); }

static remora_sum *remora_sum_new(const remora_sum_form *form) {
  size_t dims = 0;
  for (int k = 0; k < form->parts; k++) {
    dims += (size_t)form->part[k].rank;
  }
  remora_sum *sum = calloc(1, sizeof *sum + (size_t)form->parts * sizeof sum->part[0] + dims * sizeof(int64_t));
  if (sum) {
    sum->form = form;
    int64_t *shape = (int64_t *)(sum->part + form->parts);
    for (int k = 0; k < form->parts; k++) {
      sum->part[k].shape = shape;
      shape += form->part[k].rank;
    }
  }
  return sum;
}
static void remora_sum_free(remora_context *context, remora_sum *sum) {
  for (int k = 0; sum && k < sum->form->parts; k++) {
    if (sum->part[k].owner) {
      remora_array_free(context, sum->part[k].owner);
    } else {
      free(sum->part[k].data);
    }
  }
  free(sum);
}

/* The bytes of elements of this size in this shape; false if there are none such. */
static bool remora_sum_bytes(int32_t size, int32_t rank, const int64_t *shape, size_t *bytes) {
  *bytes = (size_t)size;
  for (int d = 0; d < rank; d++) {
    if (shape[d] < 0 || __builtin_mul_overflow(*bytes, (size_t)shape[d], bytes)) {
      return false;
    }
  }
  return true;
}
/* Makes a part an array of zeros. */
static bool remora_sum_zeros(remora_part *part, int32_t size, int32_t rank, const int64_t *outer, int32_t frame, const int64_t *inner) {
  for (int d = 0; d < rank; d++) {
    part->shape[d] = d < frame ? outer[d] : inner[d - frame];
  }
  size_t bytes;
  part->known = remora_sum_bytes(size, rank, part->shape, &bytes) && (part->data = calloc(bytes ? bytes : 1, 1));
  return part->known;
}
/* Copies a scalar or an array into part k. */
static int remora_sum_put(remora_context *context, remora_sum *sum, int k, const void *data, const int64_t *shape) {
  const remora_part_form form = sum->form->part[k];
  remora_part *part = &sum->part[k];
  if (form.rank == 0) {
    remora_sum_words(form, part->bits, data);
    return 0;
  }
  for (int d = 0; d < form.rank; d++) {
    if (shape[d] < 0) {
      return remora_sum_refuse(context, "E0504", "an array cannot have a negative size");
    }
  }
  size_t bytes = 0;
  if (!remora_sum_zeros(part, form.size, form.rank, shape, form.rank, NULL) ||
      !remora_sum_bytes(form.size, form.rank, shape, &bytes)) {
    return remora_sum_memory(context);
  }
  if (bytes) {
    memcpy(part->data, data, bytes);
  }
  return 0;
}
/* Copies part `from` of a value into part `to` of another. */
static int remora_sum_copy(remora_context *context, remora_sum *sum, int to, const remora_sum *other, int from) {
  const remora_part *part = &other->part[from];
  if (other->form->part[from].rank == 0) {
    memcpy(sum->part[to].bits, part->bits, sizeof part->bits);
    return 0;
  }
  return part->known ? remora_sum_put(context, sum, to, part->data, part->shape) : 0;
}
/* A part as an argument of a function that wants an array of this shape. Where there is none, `blank` is one of zeros. */
static int remora_sum_fit(remora_context *context, const remora_sum *sum, int k, const int64_t *shape, void **blank, uint64_t *in) {
  const remora_part_form form = sum->form->part[k];
  const remora_part *part = &sum->part[k];
  if (form.rank == 0) {
    memcpy(in, part->bits, sizeof *in * (size_t)form.words);
    return 0;
  }
  for (int d = 0; part->known && d < form.rank; d++) {
    if (part->shape[d] != shape[d]) {
      remora_fresh(context);
      return remora_fail(&context->thread[0], "E0503", 0, "the value has an array of size %lld where one of size %lld is needed",
                         (long long)part->shape[d], (long long)shape[d]);
    }
  }
  if (!part->known) {
    size_t bytes;
    if (!remora_sum_bytes(form.size, form.rank, shape, &bytes) || !(*blank = calloc(bytes ? bytes : 1, 1))) {
      return remora_sum_memory(context);
    }
  }
  *in = (uint64_t)(uintptr_t)(part->known ? part->data : *blank);
  return 0;
}
/* Value number i of an array of them. */
static int remora_sum_cell(remora_context *context, const remora_sum *array, int64_t i, remora_sum *cell) {
  const int rank = array->form->rank;
  int64_t count = 1;
  for (int d = 0; d < rank; d++) {
    count *= array->part[0].shape[d];
  }
  if (i < 0 || i >= count) {
    remora_fresh(context);
    return remora_fail(&context->thread[0], "E0501", 0, "index %lld is out of bounds for an array of size %lld", (long long)i,
                       (long long)count);
  }
  for (int k = 0; k < array->form->parts; k++) {
    const remora_part *part = &array->part[k];
    const remora_part_form form = cell->form->part[k];
    size_t bytes;
    if (part->known && remora_sum_bytes(form.size, form.rank, part->shape + rank, &bytes)) {
      const int failed = remora_sum_put(context, cell, k, (const char *)part->data + bytes * (size_t)i, part->shape + rank);
      if (failed) {
        return failed;
      }
    }
  }
  return 0;
}
/* Part k of an array of values. */
static int remora_sum_stack(remora_context *context, remora_sum *array, int k, const int64_t *dims, const remora_sum *const *cells) {
  const remora_part_form form = array->form->part[k];
  const int frame = array->form->rank, rank = form.rank - frame;
  int64_t count = 1, model = 0;
  for (int d = 0; d < frame; d++) {
    if (dims[d] < 0) {
      return remora_sum_refuse(context, "E0504", "an array cannot have a negative size");
    }
    count *= dims[d];
  }
  while (rank && model < count && !cells[model]->part[k].known) {
    model++;
  }
  if (rank && model == count) {
    return 0;
  }
  const int64_t *inner = rank ? cells[model]->part[k].shape : NULL;
  size_t bytes = 0;
  if (!remora_sum_zeros(&array->part[k], form.size, form.rank, dims, frame, inner) ||
      !remora_sum_bytes(form.size, rank, inner, &bytes)) {
    return remora_sum_memory(context);
  }
  for (int64_t i = 0; i < count; i++) {
    const remora_part *part = &cells[i]->part[k];
    if (rank && part->known && memcmp(part->shape, inner, (size_t)rank * sizeof *inner)) {
      return remora_sum_refuse(context, "E0503", "the values of an array have arrays of different sizes");
    }
    char *place = (char *)array->part[k].data + bytes * (size_t)i;
    if (!rank) {
      remora_sum_scalar(form, place, part->bits);
    } else if (bytes && part->known) {
      memcpy(place, part->data, bytes);
    }
  }
  return 0;
}
static int remora_sum_gather(remora_context *context, remora_sum *array, const int64_t *dims, const remora_sum *const *cells) {
  int failed = 0;
  for (int k = 0; k < array->form->parts && !failed; k++) {
    failed = remora_sum_stack(context, array, k, dims, cells);
  }
  return failed;
}
/* The number of the constructor. */
static int remora_sum_variant(const remora_sum *sum) {
  int32_t tag = 0;
  memcpy(&tag, &sum->part[0].bits, (size_t)sum->form->part[0].size);
  return (int)tag;
}
/* Ends a function that makes a value: leaves it, or keeps the message of why there is none. The context is the caller's. */
static int remora_sum_done(remora_context *context, remora_sum *sum, int failed, void **out) {
  const int code = failed ? remora_refuse(context) : 0;
  if (failed) {
    remora_sum_free(context, sum);
  }
  *out = failed ? NULL : sum;
  return code;
}
