
/* ---- Profiles: what sites take. A thread has rows of its own, one for each site; only the first thread, outside of parallel loops, looks
   at the clock. ---- */

/* Numbers of a row, in the order of `remora_row`. */
#define REMORA_FIELDS 12

/* A site begins: the time since the last look at the clock is that of the site around it. */
__attribute__((unused)) static void remora_begin(remora_thread *th, int site) {
  remora_row *row = &th->rows[site];
  row->calls++;
  if (th->order >= 0) {
    return;
  }
  row->timed++;
  row->sampled++;
  int64_t now = remora_now();
  if (th->row >= 0) {
    th->rows[th->row].self += now - th->since;
  }
  row->outer = th->row;
  row->start = now;
  th->row = site;
  th->since = now;
}

__attribute__((unused)) static void remora_end(remora_thread *th, int site) {
  if (th->order >= 0) {
    return;
  }
  remora_row *row = &th->rows[site];
  int64_t now = remora_now();
  row->self += now - th->since;
  row->total += now - row->start;
  th->row = row->outer;
  th->since = now;
}

/* The same of a site in which nothing else is timed. One that is short and runs very often is timed once in so many times: for the others it is
   not there, and its time is that of the site around it. */
#define REMORA_OFTEN 1024
#define REMORA_SHORT 1000
#define REMORA_SKIPPED 63

__attribute__((unused)) static inline void remora_begin_leaf(remora_thread *th, int site) {
  remora_row *row = &th->rows[site];
  if (th->order < 0 && row->sampled >= REMORA_OFTEN && row->self < row->sampled * REMORA_SHORT && (row->timed & REMORA_SKIPPED)) {
    row->calls++;
    row->timed++;
    return;
  }
  remora_begin(th, site);
}

__attribute__((unused)) static inline void remora_end_leaf(remora_thread *th, int site) {
  if (th->row == site) {
    remora_end(th, site);
  }
}

__attribute__((unused)) static void remora_tally(remora_thread *th, int site, int64_t count, int64_t size) {
  remora_row *row = &th->rows[site];
  int64_t bytes = count > 0 ? count * size : 0;
  row->calls++;
  row->elements += count > 0 ? count : 0;
  row->bytes += bytes;
  if (bytes > row->largest) {
    row->largest = bytes;
  }
}

/* Forgets what was measured. */
REMORA_EXPORT void remora_profile_reset(remora_context *c) {
  for (int k = 0; k < c->threads; k++) {
    memset(c->thread[k].rows, 0, (REMORA_PROFILE + 1) * sizeof(remora_row));
    c->thread[k].row = -1;
  }
}

/* The rows of all threads together: REMORA_FIELDS numbers for each site. */
REMORA_EXPORT void remora_profile_read(remora_context *c, int64_t *out) {
  for (int site = 0; site < REMORA_PROFILE; site++) {
    int64_t *to = &out[site * REMORA_FIELDS];
    memset(to, 0, REMORA_FIELDS * sizeof *to);
    for (int k = 0; k < c->threads; k++) {
      const remora_row *row = &c->thread[k].rows[site];
      const int64_t all[REMORA_FIELDS] = {row->calls, row->self,  row->total,  row->elements, row->bytes,       row->largest,
                                          row->loops, row->single, row->busy, row->joined > 0, row->timed, row->sampled};
      for (int j = 0; j < REMORA_FIELDS; j++) {
        to[j] = j == 5 ? (all[j] > to[j] ? all[j] : to[j]) : to[j] + all[j];
      }
    }
  }
}

/* Nanoseconds that a site which begins and ends takes for itself, and how many of them it is said to take: the least of some averages, since
   others may use the processor. What was measured before is lost. */
REMORA_EXPORT void remora_profile_cost(remora_context *c, double *out) {
  remora_thread *th = &c->thread[0];
  remora_row *row = &th->rows[REMORA_PROFILE];
  const int many = 2000;
  for (int batch = 0; batch < 10; batch++) {
    remora_profile_reset(c);
    int64_t start = remora_now();
    for (int k = 0; k < many; k++) {
      remora_begin(th, REMORA_PROFILE);
      remora_end(th, REMORA_PROFILE);
    }
    double whole = (double)(remora_now() - start) / many, said = (double)row->self / many;
    if (batch == 0 || whole < out[0]) {
      out[0] = whole;
      out[1] = said;
    }
  }
}
