/* ---- Products ---- */

/* One side of the tile of a product that a block computes: threads stand in a square of 16 by 16, each has `each` rows (columns) of results in
   registers, and `depth` steps are in shared memory at a time, twice. Rows in shared memory are `pad` longer: threads that write a column use different
   banks, and rows begin where 16 bytes can be read at once. A thread's rows (columns) come in groups of `group`, so that threads side by side
   read 16 bytes side by side. */
template <class T, class Side, bool ROWS> struct remora_side {
  static constexpr int each = sizeof(T) <= 4 ? (ROWS ? 8 : 4) : sizeof(T) <= 8 ? 4 : 2;
  static constexpr int side = 16 * each;
  static constexpr int room = 8192 / (side * (int)sizeof(Side));
  static constexpr int depth = room >= 16 ? 16 : room >= 8 ? 8 : 4;
  static constexpr int pad = sizeof(Side) <= 1 ? 16 : sizeof(Side) <= 2 ? 8 : 4;
  static constexpr int row = side + pad;
  static constexpr int wanted = sizeof(Side) <= 4 ? 4 : sizeof(Side) <= 8 ? 2 : 1;
  static constexpr int group = wanted < each ? wanted : each;
  static constexpr int bytes = group * (int)sizeof(Side);
  static constexpr int alignment = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  struct alignas(alignment) pack {
    Side value[group];
  };
  /* Where the k-th row (or column) of a thread is in the tile. */
  __device__ __forceinline__ static int place(int thread, int k) { return k / group * (16 * group) + thread * group + k % group; }
};

/* A tile of one side of a product on its way: registers that are filled from global memory while the tile before is computed with. */
template <class Shape, class Side, int DEPTH, bool ALONG> struct remora_load {
  static constexpr int count = Shape::side * DEPTH / REMORA_BLOCK;
  Side value[count];
  /* The k-th element of this thread: in neighbouring threads, neighbours along the depth or across. */
  __device__ __forceinline__ static int across(int k) {
    const int at = k * REMORA_BLOCK + threadIdx.x;
    return ALONG ? at / DEPTH : at % Shape::side;
  }
  __device__ __forceinline__ static int along(int k) {
    const int at = k * REMORA_BLOCK + threadIdx.x;
    return ALONG ? at % DEPTH : at / Shape::side;
  }
  /* Beyond the end the last ones are read again: whatever is computed with them is not kept, and has been computed elsewhere. */
  template <class Get> __device__ __forceinline__ void read(int64_t first, int64_t width, int64_t from, int64_t depth, Get get) {
#pragma unroll
    for (int k = 0; k < count; k++) {
      const int64_t i = first + across(k), d = from + along(k);
      value[k] = get(i < width ? i : width - 1, d < depth ? d : depth - 1);
    }
  }
  __device__ __forceinline__ void keep(Side *tile) const {
#pragma unroll
    for (int k = 0; k < count; k++) {
      tile[along(k) * Shape::row + across(k)] = value[k];
    }
  }
};

/* `done(plane, row, column, total)` for each element of `planes` products of a matrix with `rows` rows and one with `columns` columns: the total
   begins with `neutral` and takes `step(total, left(plane, row, k), right(plane, column, k))` for each k below `depth`, in order; `step` may be
   anything. Tiles of both sides in shared memory, tiles of results in registers (Volkov and Demmel, Benchmarking GPUs to tune dense
   linear algebra, 2008, section 5); the next tiles are read while these are computed with, which needs one barrier for each.
   `LEFT_ALONG` (`RIGHT_ALONG`): neighbours in memory are neighbours along the depth, not rows (columns). A block computes 128 rows and 64
   columns at a time for results of up to 4 bytes, 64 and 64 for up to 8, 32 and 32 for more. Elements of both sides have at most 16 bytes. */
template <class Left, class Right, class T, bool LEFT_ALONG, bool RIGHT_ALONG, class GetLeft, class GetRight, class Step, class Done>
REMORA_DEVICE void remora_product(int64_t planes, int64_t rows, int64_t columns, int64_t depth, T neutral, GetLeft left, GetRight right,
                                  Step step, Done done) {
  typedef remora_side<T, Left, true> over;
  typedef remora_side<T, Right, false> under;
  static_assert(sizeof(Left) <= 16 && sizeof(Right) <= 16, "elements of products have at most 16 bytes");
  constexpr int ROWS = over::each, COLUMNS = under::each, DEPTH = over::depth < under::depth ? over::depth : under::depth;
  REMORA_SHARED(typename over::pack, lefts, 2 * DEPTH * over::row / over::group);
  REMORA_SHARED(typename under::pack, rights, 2 * DEPTH * under::row / under::group);
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int64_t down = (rows + over::side - 1) / over::side, across = (columns + under::side - 1) / under::side;
  const int64_t tiles = (depth + DEPTH - 1) / DEPTH;
  for (int64_t item = blockIdx.x; item < planes * down * across; item += gridDim.x) {
    const int64_t plane = item / (down * across), rest = item - plane * down * across;
    const int64_t row = rest / across * over::side, column = rest % across * under::side;
    auto get_left = [&](int64_t i, int64_t k) { return left(plane, i, k); };
    auto get_right = [&](int64_t j, int64_t k) { return right(plane, j, k); };
    T total[ROWS][COLUMNS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        total[r][c] = neutral;
      }
    }
    remora_load<over, Left, DEPTH, LEFT_ALONG> next_left;
    remora_load<under, Right, DEPTH, RIGHT_ALONG> next_right;
    if (tiles > 0) {
      next_left.read(row, rows, 0, depth, get_left);
      next_right.read(column, columns, 0, depth, get_right);
    }
    /* The tiles of the item before are not needed any more. */
    __syncthreads();
    for (int64_t tile = 0; tile < tiles; tile++) {
      Left *const own_left = (Left *)lefts + tile % 2 * DEPTH * over::row;
      Right *const own_right = (Right *)rights + tile % 2 * DEPTH * under::row;
      next_left.keep(own_left);
      next_right.keep(own_right);
      __syncthreads();
      if (tile + 1 < tiles) {
        next_left.read(row, rows, (tile + 1) * DEPTH, depth, get_left);
        next_right.read(column, columns, (tile + 1) * DEPTH, depth, get_right);
      }
      auto advance = [&](int k) {
        typename over::pack a[ROWS / over::group];
        typename under::pack b[COLUMNS / under::group];
#pragma unroll
        for (int r = 0; r < ROWS; r += over::group) {
          a[r / over::group] = *(const typename over::pack *)&own_left[k * over::row + over::place(y, r)];
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c += under::group) {
          b[c / under::group] = *(const typename under::pack *)&own_right[k * under::row + under::place(x, c)];
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
          for (int c = 0; c < COLUMNS; c++) {
            total[r][c] = step(total[r][c], a[r / over::group].value[r % over::group], b[c / under::group].value[c % under::group]);
          }
        }
      };
      const int64_t left_over = depth - tile * DEPTH;
      if (left_over >= DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
          advance(k);
        }
      } else {
#pragma unroll 1
        for (int k = 0; k < (int)left_over; k++) {
          advance(k);
        }
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int64_t i = row + over::place(y, r);
#pragma unroll
      for (int c = 0; c < COLUMNS; c++) {
        const int64_t j = column + under::place(x, c);
        if (i < rows && j < columns) {
          done(plane, i, j, total[r][c]);
        }
      }
    }
  }
}
