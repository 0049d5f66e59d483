/* Runs the kernels of library.cu on the stand-in device and compares with plain loops. Arguments: the schedule and the seed. Stands
   behind the kernels and driver.h in the same text. */

static bool same(test_sum a, test_sum b) { return a.v0 == b.v0; }
static bool same(test_byte a, test_byte b) { return a.v0 == b.v0; }
static bool same(test_affine a, test_affine b) { return a.v0 == b.v0 && a.v1 == b.v1; }
static bool same(test_text a, test_text b) { return a.v0 == b.v0 && (!a.v0 || (a.v1 == b.v1 && a.v2 == b.v2 && a.v3 == b.v3)); }
static bool same(test_matrix a, test_matrix b) { return memcmp(&a, &b, sizeof a) == 0; }

static const int64_t WIDTHS[] = {0, 1, 31, 32, 33, 255, 256, 257, 1000, 5000};

template <class T> struct Expected {
  std::vector<T> totals, prefixes;
  Expected(const std::vector<uint32_t> &xs, int64_t segments, int64_t width) {
    for (int64_t segment = 0; segment < segments; segment++) {
      T total = test_neutral(T{});
      for (int64_t i = 0; i < width; i++) {
        total = test_op(total, test_cell(T{}, xs[(size_t)(segment * width + i)]));
        prefixes.push_back(total);
      }
      totals.push_back(total);
    }
  }
};

static std::string sizes(const std::string &kernel, int64_t segments, int64_t width) {
  return kernel + " of " + std::to_string(segments) + " segments of " + std::to_string(width);
}

template <class T> static void reduce(const std::string &kernel, int64_t segments, int64_t width) {
  const auto xs = numbers(segments * width);
  const Expected<T> expected(xs, segments, width);
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs), counter(segments, 0);
  for (int64_t parts : {1, 3}) {
    Array<T> partial(segments * parts, 0xee), out(segments, 0xee);
    launch(kernel, 4, 0, failure.at, segments, width, parts, input.at, partial.at, counter.at, out.at);
    compare(sizes(kernel, segments, width) + " in " + std::to_string(parts) + " parts", out.get(), expected.totals);
    /* Ready for the next launch. */
    compare("counters", counter.get(), std::vector<uint32_t>((size_t)segments, 0));
  }
}

template <class T> static void columns(const std::string &kernel, int64_t segments, int64_t width) {
  const auto xs = numbers(segments * width);
  const Expected<T> expected(xs, segments, width);
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs), counter(segments, 0);
  for (int64_t across : {1, 4, 32, 256}) {
    for (int64_t parts : {1, 3}) {
      Array<T> partial(segments * parts, 0xee), out(segments, 0xee);
      launch(kernel, 4, 0, failure.at, segments, width, parts, across, input.at, partial.at, counter.at, out.at);
      const std::string what = sizes(kernel, segments, width) + ", " + std::to_string(across) + " in a block";
      compare(what + " in " + std::to_string(parts) + " parts", out.get(), expected.totals);
      compare("counters", counter.get(), std::vector<uint32_t>((size_t)segments, 0));
    }
  }
}

template <class T> static void small(const std::string &kernel, int64_t segments, int64_t width) {
  const auto xs = numbers(segments * width);
  const Expected<T> expected(xs, segments, width);
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs);
  Array<T> out(segments, 0xee);
  launch(kernel, 2, 0, failure.at, segments, width, input.at, out.at);
  compare(sizes(kernel, segments, width), out.get(), expected.totals);
}

template <class T> static void scan(const std::string &kernel, int64_t segments, int64_t width) {
  const auto xs = numbers(segments * width);
  const Expected<T> expected(xs, segments, width);
  const int64_t tiles = (segments * width + remora_layout<T, REMORA_SCANNED>::tile - 1) / remora_layout<T, REMORA_SCANNED>::tile;
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs), ticket(1, 0);
  Array<remora_tile<T>> state(tiles, 0);
  Array<T> out(segments * width, 0xee);
  launch(kernel, tiles > 1 ? tiles - 1 : 1, 0, failure.at, segments, width, input.at, state.at, ticket.at, out.at);
  compare(sizes(kernel, segments, width), out.get(), expected.prefixes);
}

template <class T> static void operators(const std::string &name) {
  for (int64_t width : WIDTHS) {
    for (int64_t segments : {1, 3}) {
      reduce<T>(name + "_reduce", segments, width);
      scan<T>(name + "_scan", segments, width);
    }
  }
  /* Many segments in a tile, few more than one, and more tiles in a row than a warp looks at. */
  scan<T>(name + "_scan", 900, 7);
  scan<T>(name + "_scan", 5, 700);
}

static void maps() {
  for (int64_t width : WIDTHS) {
    auto xs = numbers(width);
    for (auto &x : xs) {
      x -= x % 1024 == 77;
    }
    Array<remora_failure> failure(1, 0);
    Array<uint32_t> input(xs);
    Array<double> out(width, 0xee);
    launch("test_map", 3, 0, failure.at, width, input.at, out.at);
    std::vector<double> expected;
    for (uint32_t x : xs) {
      expected.push_back(sqrt((double)x));
    }
    compare(sizes("map", 1, width), out.get(), expected);
    compare("no failure", std::vector<int32_t>{failure.get()[0].code}, {0});
  }
  /* Of the cells that fail the first counts, and after that nothing is done. */
  std::vector<uint32_t> xs(2000, 5);
  xs[1234] = 1024 + 77;
  xs[1235] = xs[1999] = 2048 + 77;
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs);
  Array<double> out(2000, 0);
  const int64_t width = 2000;
  launch("test_map", 3, 0, failure.at, width, input.at, out.at);
  remora_failure found = failure.get()[0];
  compare("failure", std::vector<int64_t>{found.code, found.args[0], found.args[1]}, {5, 1234, 1024 + 77});
  must(device->fill(device->self, out.at, 0, out.bytes()));
  launch("test_map", 3, 0, failure.at, width, input.at, out.at);
  compare("nothing after a failure", out.get(), std::vector<double>(2000, 0));
}

/* With arrays that begin where vectors may, and where they may not; what was computed in vectors has another first bit. */
static void vectors() {
  for (int64_t width : {0, 1, 3, 4, 5, 1023, 1024, 4001}) {
    for (int64_t skip : {0, 1, 4}) {
      const auto xs = numbers(width + 8);
      Array<remora_failure> failure(1, 0);
      Array<uint32_t> input(std::vector<uint32_t>((size_t)(width + 8) / 4 * 4, 0)), out((width + 8) / 4 * 4, 0);
      Array<uint8_t> bytes((width + 8) / 4 * 4, 7);
      uint32_t *const from = (uint32_t *)input.at + skip, *const to = (uint32_t *)out.at + skip;
      uint8_t *const also = (uint8_t *)bytes.at + skip;
      must(device->put(device->self, from, xs.data(), 4 * width));
      launch("test_wide", 2, 0, failure.at, width, from, also, to);
      const bool aligned = (uintptr_t)from % 16 == 0 && (uintptr_t)to % 16 == 0 && (uintptr_t)also % 4 == 0;
      std::vector<uint32_t> expected((size_t)out.count, 0);
      for (int64_t i = 0; i < width; i++) {
        expected[(size_t)(i + skip)] = xs[(size_t)i] * 3 + 7 + (aligned && i < width / 4 * 4 ? 0x80000000u : 0);
      }
      compare("vectors of " + std::to_string(width) + " from " + std::to_string(skip), out.get(), expected);
    }
  }
}

static void histograms() {
  for (int64_t width : WIDTHS) {
    for (int64_t bins : {1, 7, 300}) {
      const auto xs = numbers(width);
      Array<remora_failure> failure(1, 0);
      Array<uint32_t> input(xs);
      const size_t n = (size_t)bins;
      std::vector<int64_t> sums(n), where(n, -1);
      std::vector<uint32_t> highest(n), counts(n);
      std::vector<uint8_t> odd(n);
      std::vector<double> weights(n);
      std::vector<float> products(n, 1);
      for (size_t i = 0; i < xs.size(); i++) {
        const size_t bin = xs[i] % n;
        sums[bin] += xs[i];
        where[bin] = xs[i] > highest[bin] ? (int64_t)i : where[bin];
        highest[bin] = xs[i] > highest[bin] ? xs[i] : highest[bin];
        odd[bin] = (uint8_t)(odd[bin] ^ (uint8_t)(xs[i] >> 5));
        weights[bin] += xs[i] >> 12;
        products[bin] *= xs[i] % 3 == 0 ? -1.0f : 1.0f;
        const int64_t other = (int64_t)(xs[i] % (uint32_t)(bins + 2)) - 1;
        if (0 <= other && other < bins) {
          counts[(size_t)other] += xs[i] & 3;
        }
      }
      Array<int64_t> found_sums(bins, 0), found_where(std::vector<int64_t>(n, -1));
      Array<uint32_t> found_highest(bins, 0), found_best(bins, 0), found_counts(bins, 0), locks(bins, 0);
      Array<uint8_t> found_odd(bins, 0);
      Array<double> found_weights(bins, 0);
      Array<float> found_products(std::vector<float>(n, 1));
      launch("test_histogram", 3, 0, failure.at, width, bins, input.at, found_sums.at, found_highest.at, found_odd.at, found_weights.at,
             found_products.at);
      launch("test_locked", 3, 0, failure.at, width, bins, input.at, locks.at, found_best.at, found_where.at);
      /* In one pass with several copies of each bin, and in passes. */
      Array<uint32_t> found_shared(bins, 0), free(bins, 0);
      Array<int64_t> found_shared_where(std::vector<int64_t>(n, -1));
      const int64_t copies = bins == 1 ? 32 : bins == 7 ? 4 : 1, here = bins == 300 ? 113 : bins, all = here * copies;
      for (int64_t first = 0; first < bins; first += here) {
        const int64_t now = bins - first < here ? bins - first : here;
        launch("test_shared", 3, all * (int64_t)sizeof(uint32_t), failure.at, width, bins, first, now, copies, input.at, found_counts.at);
        launch("test_shared_locks", 3, all * 20 + 16, failure.at, width, bins, first, now, copies, input.at, free.at, found_shared.at,
               found_shared_where.at);
      }
      const std::string what = sizes("histogram", bins, width);
      compare(what + ", sums", found_sums.get(), sums);
      compare(what + ", maxima", found_highest.get(), highest);
      compare(what + ", bytes", found_odd.get(), odd);
      compare(what + ", weights", found_weights.get(), weights);
      compare(what + ", products", found_products.get(), products);
      compare(what + ", locked", found_best.get(), highest);
      compare(what + ", locked places", found_where.get(), where);
      compare(what + ", shared", found_counts.get(), counts);
      compare(what + ", shared with locks", found_shared.get(), highest);
      compare(what + ", places shared with locks", found_shared_where.get(), where);
    }
  }
}

template <class T> static void transpose(const char *kernel) {
  for (int64_t planes : {1, 3}) {
    for (int64_t rows : {1, 31, 64, 65, 130}) {
      for (int64_t columns : {0, 1, 33, 100, 128}) {
        std::vector<T> from, expected((size_t)(planes * rows * columns));
        for (uint32_t x : numbers(planes * rows * columns)) {
          from.push_back((T)x);
        }
        for (int64_t p = 0; p < planes; p++) {
          for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < columns; c++) {
              expected[(size_t)((p * columns + c) * rows + r)] = from[(size_t)((p * rows + r) * columns + c)];
            }
          }
        }
        Array<remora_failure> failure(1, 0);
        Array<T> input(from), out(planes * rows * columns, 0xee);
        launch(kernel, 4, 0, failure.at, planes, rows, columns, input.at, out.at);
        compare(sizes(kernel, rows, columns), out.get(), expected);
      }
    }
  }
}

/* A product, with `step` as the kernel has it. */
template <class T, class Step> static void product(const char *kernel, T neutral, Step step) {
  struct sizes_of {
    int64_t planes, rows, columns, depth;
  };
  for (const sizes_of s : {sizes_of{1, 1, 1, 0}, {1, 1, 1, 1}, {2, 3, 5, 7}, {1, 33, 65, 16}, {1, 130, 129, 17}, {3, 20, 31, 50}, {1, 4, 0, 3}}) {
    std::vector<float> a, b;
    for (uint32_t x : numbers(s.planes * s.rows * s.depth)) {
      a.push_back((float)(x % 17));
    }
    for (uint32_t x : numbers(s.planes * s.depth * s.columns)) {
      b.push_back((float)(x % 13));
    }
    std::vector<T> expected;
    for (int64_t p = 0; p < s.planes; p++) {
      for (int64_t i = 0; i < s.rows; i++) {
        for (int64_t j = 0; j < s.columns; j++) {
          T total = neutral;
          for (int64_t k = 0; k < s.depth; k++) {
            total = step(total, a[(size_t)((p * s.rows + i) * s.depth + k)], b[(size_t)((p * s.depth + k) * s.columns + j)], j);
          }
          expected.push_back(total);
        }
      }
    }
    Array<remora_failure> failure(1, 0);
    Array<float> left(a), right(b);
    Array<T> out((int64_t)expected.size(), 0xee);
    launch(kernel, 2, 0, failure.at, s.planes, s.rows, s.columns, s.depth, left.at, right.at, out.at);
    compare(sizes(kernel, s.rows, s.columns), out.get(), expected);
  }
}

static void halves() {
  const auto xs = numbers(1000);
  Array<remora_failure> failure(1, 0);
  Array<uint32_t> input(xs);
  Array<uint16_t> out(1001, 0);
  launch("test_half", 2, 0, failure.at, (int64_t)1000, input.at, out.at);
  std::vector<uint16_t> expected;
  for (uint32_t x : xs) {
    _Float16 half;
    const uint16_t bits = (uint16_t)(x & 0x7bff);
    memcpy(&half, &bits, 2);
    half = (_Float16)((float)half * 0.5f + (float)(x >> 24));
    uint16_t result;
    memcpy(&result, &half, 2);
    expected.push_back(result);
  }
  expected.push_back(0x63d0); /* 1000 */
  compare("halves", out.get(), expected);
}

int main(int, char **argv) {
  void *shim = remora_shim_open(nullptr);
  device = remora_shim_table(shim);
  remora_shim_schedule(shim, atoi(argv[1]), (uint64_t)atoll(argv[2]));
  operators<test_sum>("test_sum");
  operators<test_byte>("test_byte");
  operators<test_affine>("test_affine");
  operators<test_text>("test_text");
  operators<test_matrix>("test_matrix");
  scan<test_matrix>("test_matrix_scan", 1, 12000);
  scan<test_affine>("test_affine_scan", 2, 150000);
  for (int64_t width : WIDTHS) {
    reduce<test_sum>("test_sum_fast", 2, width);
  }
  for (int64_t width : {0, 1, 2, 3, 31, 32, 33, 100}) {
    for (int64_t segments : {0, 1, 31, 300}) {
      small<test_sum>("test_sum_small_32", segments, width);
      small<test_affine>("test_affine_small_1", segments, width);
      small<test_affine>("test_affine_small_4", segments, width);
      small<test_text>("test_text_small_16", segments, width);
    }
  }
  for (int64_t width : {0, 1, 7, 100, 300}) {
    for (int64_t segments : {1, 5, 31, 300}) {
      columns<test_sum>("test_sum_columns", segments, width);
      columns<test_byte>("test_byte_columns", segments, width);
      columns<test_affine>("test_affine_columns", segments, width);
      columns<test_text>("test_text_columns", segments, width);
    }
    columns<test_matrix>("test_matrix_columns", 33, width);
    small<test_text>("test_text_small_32", 11, width);
  }
  small<test_text>("test_text_small_32", 11, 1300);
  maps();
  vectors();
  histograms();
  transpose<double>("test_transpose");
  transpose<uint8_t>("test_transpose_bytes");
  product<float>("test_product", 0.0f, [](float total, float x, float y, int64_t) { return total + x * y; });
  product<test_affine>("test_product_maps", test_affine{1, 0}, [](test_affine total, float x, float y, int64_t j) {
    return test_op(total, test_affine{(uint32_t)x + 3u, (uint32_t)(y * 2.0) + (uint32_t)j});
  });
  product<test_text>("test_product_texts", test_neutral(test_text{}), [](test_text total, float x, float y, int64_t) {
    return test_op(total, test_cell(test_text{}, (uint32_t)x * 977 + (uint32_t)y * 513));
  });
  halves();
  if (remora_shim_live(shim) != 0) {
    printf("memory is not released\n");
    problems++;
  }
  remora_shim_close(shim);
  printf("%d comparisons, %d wrong\n", checks, problems);
  return problems != 0;
}
